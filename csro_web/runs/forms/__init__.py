"""The launch form, made of groups of fields; one module a group."""

from csro_web.runs.forms.launch import LaunchForm, first_values, form_values

__all__ = ["LaunchForm", "first_values", "form_values"]
