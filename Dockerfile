# One image for web, worker, reconciler and the commands; docker-compose.yml says which is which.
FROM python:3.11-slim-bookworm AS packages

ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements.txt /tmp/requirements.txt
RUN python -m venv /opt/csro \
    && /opt/csro/bin/pip install --require-hashes --only-binary :all: -r /tmp/requirements.txt

# --build-arg EXTRA=impala adds PyTorch, which only the baseline PSRO-IMPALA needs.
ARG EXTRA=""
COPY requirements-impala.txt /tmp/requirements-impala.txt
RUN if [ "$EXTRA" = impala ]; then \
        /opt/csro/bin/pip install --only-binary :all: -r /tmp/requirements-impala.txt; fi

FROM python:3.11-slim-bookworm

COPY --from=packages /opt/csro /opt/csro
WORKDIR /app
COPY csro manage.py ./
COPY games games
COPY oracles oracles
COPY csro_web csro_web
COPY templates templates
COPY static static

# The product's own files belong to root; the user below writes to /data, /keys and /audit-heads alone.
ENV PATH=/opt/csro/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=csro_web.settings \
    CSRO_VENV=/opt/csro \
    CSRO_DATA_DIR=/data \
    CSRO_STATIC_ROOT=/srv/static
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin csro \
    && mkdir /data /srv/static \
    && mkdir --mode=700 /keys /audit-heads \
    && chown csro:csro /data /keys /audit-heads \
    && CSRO_DATA_DIR=/tmp/build python manage.py collectstatic --noinput \
    && rm -rf /tmp/build

USER 10001
VOLUME /data /keys /audit-heads
EXPOSE 8000
CMD ["gunicorn", "csro_web.wsgi:application", "--bind", "0.0.0.0:8000", "--workers", "2", \
     "--worker-class", "gthread", "--threads", "8", "--no-control-socket", \
     "--worker-tmp-dir", "/dev/shm"]
