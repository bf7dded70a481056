from forebay.api import read_files
from forebay.cli.documents import document_of
from forebay.runtime import Secret

SPILL = """
apiVersion: forebay.dev/v1alpha1
kind: Spill
metadata: {name: main, namespace: news}
spec: {urlFrom: {secretRef: {name: redis, key: url}}}
"""
SECRET = """
apiVersion: v1
kind: Secret
metadata: {name: redis, namespace: news}
stringData: {url: "redis://:word@localhost:6379", other: unused}
"""


def manifests(folder, *texts):
    file = folder / "all.yaml"
    file.write_text("---".join(texts))
    return read_files([file])


def test_a_document_holds_the_resources_and_the_secrets_they_refer_to(tmp_path):
    document = document_of(manifests(tmp_path, SPILL, SECRET), 7)
    assert document.revision == 7
    assert [manifest["kind"] for manifest in document.manifests] == ["Spill"]
    assert document.secrets == {"news/redis": {"url": Secret("redis://:word@localhost:6379")}}


def test_the_text_of_a_document_shows_no_secret(tmp_path):
    assert "word" not in repr(document_of(manifests(tmp_path, SPILL, SECRET), 7))
