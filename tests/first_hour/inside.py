"""How a command gets into another file system."""

ENTER = """
set -e
root=$1 user=$2 line=$3
shift 3
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
for path in "$@"; do
    if [ -d "$path" ]; then
        mkdir -p "$root$path"
    else
        mkdir -p "$(dirname "$root$path")"
        [ -e "$root$path" ] || : > "$root$path"
    fi
    mount --bind "$path" "$root$path"
done
exec chroot --userspec="$user:$user" "$root" /bin/sh -c "$line"
"""
"""In a name space of its own: mounts what every system has, and what pip looks at; then becomes the user."""
