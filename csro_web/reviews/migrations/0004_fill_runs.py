from django.db import migrations
from django.db.models import OuterRef, Subquery


def fill_runs(apps, schema_editor):
    """Until now every review and thread was about a policy, whose run is theirs."""
    policies = apps.get_model("policies", "Policy").objects.filter(pk=OuterRef("policy"))
    for name in ("Review", "Thread"):
        apps.get_model("reviews", name).objects.update(run=Subquery(policies.values("run")[:1]))


class Migration(migrations.Migration):
    dependencies = [("reviews", "0003_programs")]

    operations = [migrations.RunPython(fill_runs, migrations.RunPython.noop)]
