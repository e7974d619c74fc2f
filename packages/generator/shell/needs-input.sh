#!/bin/sh
# Relays the question that the implementer left, in .relayflow/needs-input.md or at the end of its last message.
# Prints records, each line with its prefix; nothing in them can repaint a terminal or reorder text.
# shellcheck source=lib.sh
. "${RELAYFLOW_SHELL:-.}/lib.sh"

# Clean lines of a text: valid UTF-8 without escapes, controls, directions and what has no glyph.
clean() {
  tr -d '\000' | LC_ALL=C awk '
    BEGIN {
      t = "[\200-\277]"
      valid = "^([\001-\177]|[\302-\337]" t "|\340[\240-\277]" t "|[\341-\354\356\357]" t t
      valid = valid "|\355[\200-\237]" t "|\360[\220-\277]" t t
      valid = valid "|[\361-\363]" t t t "|\364[\200-\217]" t t ")+"
      half = "^(\340[\240-\277]|[\341-\354\356\357]" t "|\355[\200-\237]|\360[\220-\277]" t "?"
      half = half "|[\361-\363]" t t "?|\364[\200-\217]" t "?|.)"
      ended = "[^\001-\037\177]*(\007|\033\\\\|\302\234)"
      escape = "(\033\\[|\302\233)[0-?]*[ -/]*[@-~]|(\033[]PX^_]|\302[\220\230\235-\237])" ended
      escape = escape "|\033[ -/]*[0-~]"
      unseen = "[\001-\010\013-\037\177]|\302[\200-\237\255]|\315\217|\330\234"
      unseen = unseen "|\341(\205[\237\240]|\236[\264\265]|\240[\213-\217])"
      unseen = unseen "|\342(\200[\213-\217\252-\256]|\201[\240-\257])|\343\205\244"
      unseen = unseen "|\357(\270[\200-\217]|\273\277|\276\240|\277[\260-\273])"
      unseen = unseen "|\360(\233\262[\240-\243]|\235\205[\263-\272])|\363\240" t t
    }
    {
      text = ""
      for (rest = $0; rest != ""; ) {
        if (match(rest, valid)) text = text substr(rest, 1, RLENGTH)
        else if (match(rest, half)) text = text "\357\277\275"
        rest = substr(rest, RLENGTH + 1)
      }
      count = split(text, lines, "\342\200[\250\251]")
      for (i = 1; i <= count; i++) {
        line = lines[i]
        gsub(escape, "", line)
        gsub(/\t/, " ", line)
        gsub(unseen, "", line)
        gsub(/^ +| +$/, "", line)
        if (line != "") print line
      }
    }'
}

# The first or last lines of a clean text that 60 lines and 4000 bytes hold, as records.
records() {
  LC_ALL=C awk -v source="$1" -v end="$2" -v whole="$3" '
    { line[NR] = $0; size += length($0) + 1 }
    END {
      print "relayflow needs-input-source: " (NR ? source : "none")
      if (!NR) exit
      size -= 1
      kept = -1
      for (n = 1; n <= NR && n <= 60; n++) {
        at = end == "start" ? n : NR + 1 - n
        if (kept + 1 + length(line[at]) > 4000) break
        kept += 1 + length(line[at])
        last = at
      }
      if (n == 1) {
        at = last = end == "start" ? 1 : NR
        text = end == "start" ? substr(line[at], 1, 4000) : substr(line[at], length(line[at]) - 3999)
        if (end == "end") sub(/^[\200-\277]+/, "", text)
        else if (substr(line[at], 4001, 1) ~ /[\200-\277]/) sub(/[\300-\377][\200-\277]*$/, "", text)
        gsub(/^ +| +$/, "", text)
        line[at] = text
        kept = length(text)
      }
      from = end == "start" ? 1 : last
      to = end == "start" ? last : NR
      for (at = from; at <= to; at++) print "relayflow needs-input: " line[at]
      if (whole > size) size = whole
      if (kept < size) print "relayflow needs-input-truncated: " kept " of " size " bytes"
    }'
}

needs_input() {
  if [ -f .relayflow/needs-input.md ] && [ -n "$(clean <.relayflow/needs-input.md | head -n 1)" ]; then
    clean <.relayflow/needs-input.md | records needs-input.md start 0
  else
    whole=0
    # What the flow cut before it came here counts as well.
    [ "$(printf '%s' "${RELAYFLOW_SUMMARY:-}" | wc -c)" -ge "${RELAYFLOW_SUMMARY_BYTES:-0}" ] ||
      whole=$RELAYFLOW_SUMMARY_BYTES
    printf '%s\n' "${RELAYFLOW_SUMMARY:-}" | clean | records implementer-summary end "$whole"
  fi
}

reply 'relayflow needs-input-source: none' needs_input
