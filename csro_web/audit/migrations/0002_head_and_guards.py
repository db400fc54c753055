from django.db import migrations

from csro_web.audit import guards


def add_head(apps, schema_editor):
    apps.get_model("audit", "ChainHead").objects.create(pk=1, sequence=0, hash="0" * 64)


def add_guards(apps, schema_editor):
    guards.add(schema_editor.connection)


def drop_guards(apps, schema_editor):
    guards.drop(schema_editor.connection)


def remove_head(apps, schema_editor):
    apps.get_model("audit", "ChainHead").objects.filter(pk=1).delete()


class Migration(migrations.Migration):
    """The row that everybody who records waits for is there before the first of them."""

    dependencies = [("audit", "0001_trail")]

    operations = [
        migrations.RunPython(add_head, remove_head),
        migrations.RunPython(add_guards, drop_guards),
    ]
