import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def note_what_was_brought(apps, schema_editor):
    """The fingerprints themselves follow after the migration (csro_web.changes.apps)."""
    Brought = apps.get_model("changes", "BroughtProgram")
    for pending in apps.get_model("changes", "PendingImport").objects.order_by("pk").iterator(chunk_size=50):
        if pending.origin.get("how") == "another run":
            continue
        hashes = {one["sha256"] for one in pending.items if one["sha256"]}
        Brought.objects.bulk_create(
            [
                Brought(
                    pending=pending,
                    person_id=pending.person_id,
                    created_at=pending.created_at,
                    sha256=one,
                )
                for one in sorted(hashes)
            ]
        )


class Migration(migrations.Migration):

    dependencies = [
        ('changes', '0002_drafts_trials_imports'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Fingerprint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(max_length=64, unique=True)),
                ('program', models.CharField(blank=True, db_index=True, help_text='oracles.fingerprint; empty: no program to this Python.', max_length=64)),
                ('grammar', models.CharField(help_text='Python version whose grammar the fingerprint follows.', max_length=10)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='BroughtProgram',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sha256', models.CharField(db_index=True, max_length=64)),
                ('created_at', models.DateTimeField()),
                ('pending', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='programs', to='changes.pendingimport')),
                ('person', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='brought_programs', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.RunPython(note_what_was_brought, migrations.RunPython.noop),
    ]
