set -x
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs PATH=~/.cache/forebay-cluster/bin:$PATH
CLUSTER=/work/shared/cluster
cd $1
make image IMAGE=localhost/forebay:test BASE=localhost/python:3.11 BUILDER=buildah
make image-spark SPARK_IMAGE=localhost/forebay-spark:test SPARK_BASE=localhost/spark:4.3.0 BUILDER=buildah
cd $CLUSTER; ./down.sh
CLUSTER_VOLUMES=200 ./up.sh
./load-image.sh localhost/forebay:test; ./load-image.sh localhost/forebay-spark:test
date
