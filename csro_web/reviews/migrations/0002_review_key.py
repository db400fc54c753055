import uuid

from django.db import migrations, models


def give_keys(apps, schema_editor):
    Review = apps.get_model("reviews", "Review")
    for pk in Review.objects.values_list("pk", flat=True):
        Review.objects.filter(pk=pk).update(key=uuid.uuid4())


class Migration(migrations.Migration):
    # PostgreSQL refuses to change a table that the same transaction has just filled.
    atomic = False

    dependencies = [("reviews", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="review", name="key", field=models.UUIDField(null=True, default=None)
        ),
        migrations.RunPython(give_keys, migrations.RunPython.noop),
        migrations.AlterField(
            model_name="review",
            name="key",
            field=models.UUIDField(
                unique=True,
                default=uuid.uuid4,
                help_text="Of the form it was published with: one form publishes one review.",
            ),
        ),
        migrations.AlterField(
            model_name="comment",
            name="key",
            field=models.UUIDField(
                unique=True,
                default=uuid.uuid4,
                help_text="Of the box it was typed in: one box makes one comment.",
            ),
        ),
    ]
