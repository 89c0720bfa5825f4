/** `tollgate completion <shell>`: prints a short shell script. */
import { exit, usageError, type Terminal } from '#cli/terminal-interface.ts'

const scripts: Readonly<Record<string, string>> = {
  bash: `# eval "$(tollgate completion bash)"
_tollgate() {
  # Split the typed line here, because COMP_WORDS also splits at a colon or =.
  local line=\${COMP_LINE:0:COMP_POINT}
  local -a words
  IFS=' ' read -r -a words <<< "$line"
  [[ $line == *' ' ]] && words+=('')
  # Readline replaces only the text after the last colon.
  local current=\${words[\${#words[@]}-1]} cut=
  [[ $current == *:* && $COMP_WORDBREAKS == *:* ]] && cut=\${current%:*}:
  COMPREPLY=()
  local word about
  while IFS=$'\\t' read -r word about; do
    word=\${word#"$cut"}
    # Customers choose IDs, so quote characters that are special in a shell.
    [[ $word =~ ^[[:alnum:]_@%+=:,./-]*$ ]] || printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <(tollgate __complete -- "\${words[@]:1}" 2>/dev/null)
}
complete -F _tollgate tollgate
`,
  zsh: `#compdef tollgate
# eval "$(tollgate completion zsh)"
_tollgate() {
  local -a found
  local word about
  while IFS=$'\\t' read -r word about; do
    found+=("\${word//:/\\\\:}:\${about}")
  done < <(tollgate __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe 'tollgate' found || _files
}
if [ "$funcstack[1]" = "_tollgate" ]; then _tollgate "$@"; else compdef _tollgate tollgate; fi
`,
  fish: `# tollgate completion fish | source
function __tollgate_complete
  set -l words (commandline -opc) (commandline -ct)
  tollgate __complete -- $words[2..-1] 2>/dev/null
end
complete -c tollgate -f -a '(__tollgate_complete)'
`,
}

/** Names of the shells that `completion` accepts. */
export const shellNames = Object.keys(scripts)

export function completion(shell: string, { out }: Terminal): number {
  const script = scripts[shell]
  if (script === undefined) throw usageError(`The shell must be bash, zsh or fish, but is ${shell}.`)
  out.write(script)
  return exit.ok
}
