set -x
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs PATH=~/.cache/forebay-cluster/bin:$PATH
cd $1
make image IMAGE=localhost/forebay:test BASE=localhost/python:3.11 BUILDER=buildah
make image-spark SPARK_IMAGE=localhost/forebay-spark:test SPARK_BASE=localhost/spark:4.3.0 BUILDER=buildah
buildah prune -f >/dev/null
date
