from django.urls import path

from csro_web.accounts import account_views, people_views, team_views, views

urlpatterns = [
    path("sign-in", views.sign_in, name="sign-in"),
    path("sign-out", views.sign_out, name="sign-out"),
    path("account", account_views.account, name="account"),
    path("account/password", account_views.password, name="account-password"),
    path("account/email", account_views.email, name="account-email"),
    path("account/sessions/<int:session_id>/end", account_views.end_session, name="session-end"),
    path("account/sessions/end-others", account_views.end_other_sessions, name="sessions-end"),
    path("account/tokens", account_views.make_token, name="token-make"),
    path("account/tokens/<int:token_id>/revoke", account_views.revoke_token, name="token-revoke"),
    path("people", people_views.people_list, name="people"),
    path("people/<int:person_id>", people_views.person_page, name="person"),
    path("people/<int:person_id>/email", people_views.change_email, name="person-email"),
    path("people/<int:person_id>/off", people_views.switch_off, name="person-off"),
    path("people/<int:person_id>/on", people_views.switch_on, name="person-on"),
    path("people/<int:person_id>/unlock", people_views.unlock, name="person-unlock"),
    path("people/<int:person_id>/password", people_views.new_password, name="person-password"),
    path("teams", team_views.team_list, name="teams"),
    path("teams/<int:team_id>", team_views.team_page, name="team"),
    path("runs/<int:run_id>/team", team_views.run_team, name="run-team"),
]
