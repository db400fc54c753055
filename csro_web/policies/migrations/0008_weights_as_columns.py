"""Weights of the newest mixture as columns, filled in for the runs that are there."""

from django.db import migrations, models


def fill(apps, schema_editor):
    Run = apps.get_model("runs", "Run")
    Policy = apps.get_model("policies", "Policy")
    for run in Run.objects.only("pk", "final_sigma", "final_sigma_low", "final_sigma_high"):
        newest = run.iterations.order_by("-index").first()
        if run.final_sigma is not None:
            ends = run.final_sigma, run.final_sigma_low or [], run.final_sigma_high or []
        elif newest is not None:
            ends = newest.sigma, newest.sigma_low, newest.sigma_high
        else:
            continue
        policies = list(Policy.objects.filter(run=run).only("pk", "index"))
        for policy in policies:
            policy.weight, policy.weight_low, policy.weight_high = (
                end[policy.index] if policy.index < len(end) else None for end in ends
            )
            policy.urgency = 2.0 if policy.weight_high is None else policy.weight_high
        Policy.objects.bulk_update(
            policies, ["weight", "weight_low", "weight_high", "urgency"], batch_size=200
        )


class Migration(migrations.Migration):
    dependencies = [
        ("policies", "0007_changed_by_people"),
        ("runs", "0010_mixture_quality"),
    ]

    operations = [
        migrations.AddField(
            model_name="policy",
            name="urgency",
            field=models.FloatField(
                default=2.0, help_text="What the review queue is ordered by: weight_high."
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="weight",
            field=models.FloatField(
                blank=True,
                help_text="In the newest mixture that knows it; null: none does.",
                null=True,
            ),
        ),
        migrations.AddField(
            model_name="policy",
            name="weight_high",
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="policy",
            name="weight_low",
            field=models.FloatField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="policy",
            index=models.Index(fields=["-urgency"], name="policy_urgency"),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
