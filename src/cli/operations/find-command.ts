import type { Command } from 'commander'

export interface CommandAt {
  readonly command: Command
  /** Number of the remaining words, which are neither commands, flags nor values of flags. */
  readonly values: number
}

export function commandAt(program: Command, words: readonly string[]): CommandAt {
  let command = program
  let values = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word.startsWith('-')) {
      const option = command.options.find(({ long, short }) => long === word || short === word)
      if (option?.required === true) at++
      continue
    }
    const within = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (within) command = within
    else values++
  }
  return { command, values }
}
