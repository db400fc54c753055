import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reviews", "0004_fill_runs")]

    operations = [
        migrations.AlterField(
            model_name="inboxitem",
            name="kind",
            field=models.CharField(
                choices=[
                    ("confirm", "Waits for you to confirm"),
                    ("mention", "You were mentioned"),
                    ("changes", "Changes requested"),
                    ("review", "Review of your program"),
                    ("reply", "Reply in your thread"),
                    ("resolved", "Your thread was resolved"),
                ],
                max_length=10,
            ),
        ),
        migrations.AlterModelOptions(
            name="thread", options={"ordering": ["run", "first_line", "id"]}
        ),
        migrations.AlterField(
            model_name="review",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="runs.run"
            ),
        ),
        migrations.AlterField(
            model_name="thread",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="runs.run"
            ),
        ),
        migrations.AddIndex(
            model_name="thread",
            index=models.Index(fields=["run", "-created_at", "-id"], name="threads_of_a_run"),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.CheckConstraint(
                condition=models.Q(("candidate__isnull", True), ("policy__isnull", False))
                | models.Q(("candidate__isnull", False), ("policy__isnull", True)),
                name="decision_of_one_program",
            ),
        ),
        migrations.AddConstraint(
            model_name="inboxitem",
            constraint=models.CheckConstraint(
                condition=models.Q(("candidate__isnull", True), ("policy__isnull", False))
                | models.Q(("candidate__isnull", False), ("policy__isnull", True)),
                name="inboxitem_of_one_program",
            ),
        ),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.CheckConstraint(
                condition=models.Q(("candidate__isnull", True), ("policy__isnull", False))
                | models.Q(("candidate__isnull", False), ("policy__isnull", True)),
                name="review_of_one_program",
            ),
        ),
        migrations.AddConstraint(
            model_name="thread",
            constraint=models.CheckConstraint(
                condition=models.Q(("candidate__isnull", True), ("policy__isnull", False))
                | models.Q(("candidate__isnull", False), ("policy__isnull", True)),
                name="thread_of_one_program",
            ),
        ),
        migrations.AddConstraint(
            model_name="decision",
            constraint=models.UniqueConstraint(
                fields=("thread", "candidate"), name="one_decision_per_thread_and_candidate"
            ),
        ),
        migrations.AddConstraint(
            model_name="review",
            constraint=models.UniqueConstraint(
                condition=models.Q(("published_at__isnull", True)),
                fields=("candidate", "author"),
                name="one_draft_review_per_person_and_candidate",
            ),
        ),
    ]
