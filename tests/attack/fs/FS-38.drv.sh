# id: FS-38
# title: two sessions: the first renames the parent of a denied file, the second reads it under the new name
# class: boundary
# expect: the rename fails in the first session
# layer: ancestor pins
sbx "$ATK/fs/two1.sh"; sbx "$ATK/fs/two2.sh"
