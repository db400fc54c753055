"""The text of distinct programs, filled in for those that are there."""

from django.db import migrations, models

AT_ONCE = 200


def fill(apps, schema_editor):
    from csro_web.search.services import columns

    ProgramText = apps.get_model("search", "ProgramText")
    known = set()
    for model in ("Policy", "Candidate"):
        rows = apps.get_model("policies", model).objects.exclude(sha256="").exclude(source="")
        rows = rows.order_by("pk").values_list("sha256", "source").iterator(chunk_size=AT_ONCE)
        waiting = []
        for sha256, source in rows:
            if sha256 in known:
                continue
            known.add(sha256)
            waiting.append(ProgramText(sha256=sha256, **columns(source)))
            if len(waiting) == AT_ONCE:
                ProgramText.objects.bulk_create(waiting)
                waiting = []
        ProgramText.objects.bulk_create(waiting)


class Migration(migrations.Migration):
    initial = True

    dependencies = [("policies", "0008_weights_as_columns")]

    operations = [
        migrations.CreateModel(
            name="ProgramText",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sha256", models.CharField(max_length=64, unique=True)),
                ("code", models.TextField(blank=True)),
                ("comments", models.TextField(blank=True)),
                ("docstrings", models.TextField(blank=True)),
                ("code_words", models.TextField(blank=True)),
                ("comments_words", models.TextField(blank=True)),
                ("docstrings_words", models.TextField(blank=True)),
            ],
            options={"ordering": ["-pk"]},
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
