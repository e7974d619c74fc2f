#!/bin/sh
# Relays the question of the implementer, as records that can repaint no terminal.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# No text of the question can forge a record or reorder what is read.

# It is in .relayflow/needs-input.md, or at the end of the last message. The same records as those of formatNeedsInput
# of the sdk.

# Clean lines of a text: valid UTF-8 without escapes, controls, directions and what has no glyph.
clean() {
  tr '\000' '\001' | LC_ALL=C awk '
    BEGIN {
      t = "[\200-\277]"
      a = "\340[\240-\277]|[\341-\354\356\357]" t "|\355[\200-\237]"
      b = "\360[\220-\277]|[\361-\363]" t "|\364[\200-\217]"
      valid = "^([\001-\177]|[\302-\337]" t "|(" a ")" t "|(" b ")" t t ")+"
      half = "^(" a "|(" b ")" t "?|.)"
    }
    {
      for (at = 1; at <= length($0); at += RLENGTH) {
        if (match(substr($0, at, 99), valid)) printf "%s", substr($0, at, RLENGTH)
        else if (match(substr($0, at, 9), half)) printf "\357\277\275"
      }
      print ""
    }' | LC_ALL=C awk '
    BEGIN {
      # White space at the ends of a line, whatever its width.
      blanks = "( |\302\240|\341\232\200|\342(\200[\200-\212\257]|\201\237)|\343\200\200)+"
      shown = "([^\001-\037\177\302]|\302[\240-\277])*"
      escape = "(\033\\[|\302\233)[0-?]*[ -/]*[@-~]|\033[ -/]*[0-~]|(\033[]PX^_]|\302[\220\230\235-\237])"
      escape = escape shown "(\007|\033\\\\|\302\234)"
      unseen = "[\001-\037\177]|\302[\200-\237\255]|\315\217|\330\234|\343\205\244|\363\240.."
      unseen = unseen "|\341(\205[\237\240]|\236[\264\265]|\240[\213-\217])"
      unseen = unseen "|\342(\200[\213-\217\252-\256]|\201[\240-\257])"
      unseen = unseen "|\357(\270[\200-\217]|\273\277|\276\240|\277[\260-\273])"
      unseen = unseen "|\360(\233\262[\240-\243]|\235\205[\263-\272])"
    }
    {
      count = split($0, lines, "\342\200[\250\251]")
      for (i = 1; i <= count; i++) {
        gsub(escape, "", lines[i])
        gsub(/\t/, " ", lines[i])
        gsub(unseen, "", lines[i])
        gsub("^" blanks "|" blanks "$", "", lines[i])
        if (lines[i] != "") print lines[i]
      }
    }'
}

# The first ($1 is 1) or last (-1) lines of a text that 60 lines and 4000 bytes hold, or a part of one that is longer.
bounded() {
  LC_ALL=C awk -v step="$1" '
    { line[NR] = $0 }
    END {
      left = 4000
      for (at = step > 0 ? 1 : NR; at in line && n < 60 && length(line[at]) <= left; at += step) {
        left -= length(line[at]) + 1
        n++
      }
      if (!n) {
        n = 1
        from = step > 0 ? 1 : length(line[at]) - 3999
        while (substr(line[at], from + left, 1) ~ /[\200-\277]/) left--
        line[at] = substr(line[at], from, left)
        sub(/^[\200-\277]+/, "", line[at])
      }
      for (at = step > 0 ? 1 : NR - n + 1; n--; at++) print line[at]
    }'
}

needs_input() {
  # No more of a file is read than this; more of it was left out, as from a message that the flow has cut.
  window=262144
  whole=$(wc -c 2>/dev/null <.relayflow/needs-input.md)
  text=$(head -c "$window" .relayflow/needs-input.md 2>/dev/null | clean)
  set -- needs-input.md 1
  [ -n "$text" ] || {
    window=$(printf '%s' "$RELAYFLOW_SUMMARY" | wc -c)
    whole=$RELAYFLOW_SUMMARY_BYTES
    text=$(printf '%s\n' "$RELAYFLOW_SUMMARY" | clean)
    set -- implementer-summary -1
  }
  [ -n "$text" ] || return
  [ "$whole" -gt "$window" ] 2>/dev/null || whole=$(printf '%s' "$text" | wc -c)
  # What is cut out of a line may have blanks at its ends.
  text=$(printf '%s\n' "$text" | bounded "$2" | clean)
  echo "relayflow needs-input-source: $1"
  printf '%s\n' "$text" | sed 's/^/relayflow needs-input: /'
  kept=$(printf '%s' "$text" | wc -c)
  [ "$kept" -ge "$whole" ] || echo "relayflow needs-input-truncated: $((kept)) of $((whole)) bytes"
}

reply 'relayflow needs-input-source: none' needs_input
