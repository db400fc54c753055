"""One settings file, driven by the environment, safe and complete without any."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from csro_web import environment
from csro_web.databases import database
from csro_web.mail_server import base_address, mail_server

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("CSRO_DATA_DIR") or BASE_DIR / "var").absolute()
"""What the embedded set-up keeps: database, messages, caches, the secret key."""

PRODUCTION = environment.flag("CSRO_PRODUCTION")
DEBUG = False
SECRET_KEY = environment.secret_key(DATA_DIR, production=PRODUCTION)
HOSTS = environment.words("CSRO_ALLOWED_HOSTS")
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", *HOSTS]

INSTALLED_APPS = [
    "csro_web.audit",  # before Django's own: its commands record what they do to people
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_ace",
    "django_htmx",
    "axes",
    "csro_web.pages",
    "csro_web.accounts",
    "csro_web.runs",
    "csro_web.policies",
    "csro_web.answers",
    "csro_web.calls",
    "csro_web.challenges",
    "csro_web.jobs",
    "csro_web.reviews",
    "csro_web.search",
    "csro_web.changes",
    "csro_web.approvals",
    "csro_web.exports",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "csro_web.accounts.sessions.SignedInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "csro_web.accounts.caching.PrivatePagesMiddleware",
    "axes.middleware.AxesMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["csro_web.pages.templatetags.show"],
        },
    }
]
ROOT_URLCONF = "csro_web.urls"
WSGI_APPLICATION = "csro_web.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
TIME_ZONE = "UTC"

# People
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "rules.permissions.ObjectPermissionBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
# A name is locked from one address after some failures there (docs/how-to/give-people-access.md).
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_FAILURE_LIMIT = int(environment.number("CSRO_SIGN_IN_TRIES", 5, low=2, high=100))
AXES_COOLOFF_TIME = timedelta(
    minutes=environment.number("CSRO_LOCKOUT_MINUTES", 15, low=0.01, high=1440)
)
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "csro_web.accounts.addresses.where_from"
AXES_LOCKOUT_CALLABLE = "csro_web.accounts.lockout.locked_out_page"
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
AXES_SENSITIVE_PARAMETERS = [
    "username", "password", "old_password", "new_password1", "new_password2", "next",
    "csrfmiddlewaretoken",
]  # fmt: skip

API_RATE = f"{int(environment.number('CSRO_API_RATE', 600, low=1, high=1_000_000))}/min"
"""Requests that each token may make to one web process."""

LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "runs"
CSRF_FAILURE_VIEW = "csro_web.pages.errors.csrf_failure"

# E-mail, off unless a server is named. Links in it use the address here, never one of a request.
BASE_URL = base_address(environment.text("CSRO_BASE_URL"))
_MAIL = mail_server(
    environment.text("CSRO_EMAIL_URL"), password=environment.text("CSRO_EMAIL_PASSWORD")
)
if _MAIL and not BASE_URL:
    raise ImproperlyConfigured("CSRO_EMAIL_URL needs CSRO_BASE_URL: letters hold links to the site")
MAIL_ON = _MAIL is not None
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if _MAIL else 'dummy'}.EmailBackend"
EMAIL_TIMEOUT = 20
if _MAIL:
    EMAIL_HOST, EMAIL_PORT = _MAIL.host, _MAIL.port
    EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _MAIL.user, _MAIL.password
    EMAIL_USE_TLS, EMAIL_USE_SSL = _MAIL.starttls, _MAIL.tls
DEFAULT_FROM_EMAIL = environment.text("CSRO_EMAIL_FROM", "csro@localhost")

# Files for the pages: found where they lie, or collected and compressed (CSRO_STATIC_ROOT).
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
_COLLECTED = environment.text("CSRO_STATIC_ROOT")
STATIC_ROOT = _COLLECTED or None
WHITENOISE_USE_FINDERS = not _COLLECTED
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if _COLLECTED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# Nothing inline, nothing from elsewhere: text that a model wrote cannot act on a page.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    }
}
FILE_UPLOAD_HANDLERS = ["csro_web.changes.uploads.InMemory"]
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"

# Over https; CSRO_HTTPS=0 is for a production set-up that is reached over a trusted wire alone.
HTTPS = environment.flag("CSRO_HTTPS", default=PRODUCTION)
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
CSRF_TRUSTED_ORIGINS = [f"https://{host.removeprefix('.')}" for host in HOSTS if host != "*"]
BEHIND_PROXY = environment.flag("CSRO_BEHIND_PROXY")
if BEHIND_PROXY:
    # Only for a proxy that sets this header itself and lets nobody else set it.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

DATABASES = {"default": database(environment.text("DATABASE_URL"), DATA_DIR)}

# Policies run at this sandbox level or a stronger one, or not at all.
REQUIRED_LEVEL = environment.choice(
    "CSRO_REQUIRED_LEVEL", "full" if PRODUCTION else "kernel", ("full", "kernel", "process")
)
ENGINE_WORKERS = int(
    environment.number("CSRO_ENGINE_WORKERS", environment.cores(), low=1, high=512)
)
"""Matches that one worker process plays at the same time."""

SIGNING_KEY_FILE = environment.text("CSRO_SIGNING_KEY_FILE", str(DATA_DIR / "signing-key.pem"))
"""The installation's Ed25519 key (csro_web.signing)."""
AUDIT_HEADS = environment.text("CSRO_AUDIT_HEADS", str(DATA_DIR / "audit-heads"))
"""Where signed heads of the audit trail are written (csro_web.audit.leaving)."""

# Durable work: the database is the record, the broker only carries hints (csro_web.leases).
LEASE_SECONDS = environment.number("CSRO_LEASE_SECONDS", 20, low=0.5, high=3600)
"""A step whose worker was not heard of for this long is given to another one."""
REQUEUE_SECONDS = environment.number("CSRO_REQUEUE_SECONDS", 15, low=0.5, high=3600)
"""A message that nobody has picked up for this long is taken for lost and sent again."""
STEP_ATTEMPTS = int(environment.number("CSRO_STEP_ATTEMPTS", 5, low=1, high=100))
JOBS_KEPT_DAYS = environment.number("CSRO_JOBS_KEPT_DAYS", 7, low=1, high=36500)
"""A job that is done or was called off is removed after that (csro_web.jobs.pruning)."""
FAILED_JOBS_KEPT_DAYS = environment.number("CSRO_FAILED_JOBS_KEPT_DAYS", 30, low=1, high=36500)
IMPORTS_KEPT_DAYS = environment.number("CSRO_IMPORTS_KEPT_DAYS", 30, low=1, high=36500)
"""Programs that somebody brought can be committed for so long (csro_web.changes.pruning)."""
QUEUE_WINDOW = 32
"""Messages on their way at the same time; the rest of the steps wait in the database."""

_BROKER = environment.text("BROKER_URL")
_MESSAGES = DATA_DIR / "broker"
CELERY_BROKER_URL = _BROKER or "csro-files://localhost"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"socket_timeout": 5, "socket_connect_timeout": 5, "visibility_timeout": 3600}
    if _BROKER.startswith(("redis", "valkey"))
    else {}
    if _BROKER
    else {
        "data_folder_in": str(_MESSAGES / "messages"),
        "data_folder_out": str(_MESSAGES / "messages"),
        "control_folder": str(_MESSAGES / "control"),
        "polling_interval": 0.1,
    }
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CONNECTION_TIMEOUT = 5
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "csro_web.logs.RedactingFormatter",
            "format": "{asctime} {levelname:<7} {name}: {message}",
            "style": "{",
        }
    },
    "filters": {"refusals": {"()": "csro_web.logs.PlainRefusals"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["refusals"]}
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "csro_web": {"level": environment.text("CSRO_LOG_LEVEL", "INFO").upper()},
        "django.security.DisallowedHost": {"level": "ERROR"},
        "axes": {"level": "ERROR"},
    },
}
