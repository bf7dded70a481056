set -x
printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d; chmod +x /usr/sbin/policy-rc.d
(cd /work/main && make venv)
date
cd /work/shared/cluster; ./packages.sh; sh ../peers/install-inn.sh
apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends rabbitmq-server maven default-jre-headless opentracker wrk aria2 transmission-daemon transmission-cli
cd /work/shared/cluster; ./binaries.sh
cd /work/main && npm ci --prefix tests/peers/npm --ignore-scripts
date
