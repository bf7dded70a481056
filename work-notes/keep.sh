#!/bin/bash
# save WIP of all worktrees into main's history
for w in cond next; do (cd /work/wt-$w && git add -A && { git diff --cached --quiet || git commit -qm "$(git branch --show-current): in progress"; }); done
rm -rf /work/wt-keep-notes; mkdir -p /tmp/wn
cd /work/main && git merge -q -s ours -m "Keep work in progress in the history; the tree stays as it is" next conduit 2>&1 | tail -1
git log --oneline | head -1
# the notes too
mkdir -p /work/wt-keep/work-notes && cp /work/notes/*.md /work/notes/*.sh /work/wt-keep/work-notes/
export GIT_INDEX_FILE=/tmp/keep.idx; rm -f $GIT_INDEX_FILE
git --work-tree=/work/wt-keep add -A -f /work/wt-keep/work-notes
C=$(git commit-tree $(git write-tree) -p main -m "work notes")
unset GIT_INDEX_FILE
git merge -q -s ours -m "Keep work in progress in the history; the tree stays as it is" $C; echo notes $C
