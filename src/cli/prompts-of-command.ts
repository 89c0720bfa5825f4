/** The answer to a question is the flag's value, or else the typed text, or else the default. */
import { harmless } from './output/text-width.ts'
import { textOf } from './text-of-bytes.ts'
import type { CommonFlags } from './flags-of-all-commands.ts'
import { CommandError, exit, usageError, type Terminal } from './terminal-interface.ts'
import { ApiError } from '#sdk/errors.ts'

export interface Question {
  /** The flag that sets the answer without a terminal. */
  readonly name: string
  readonly flag?: string | undefined
  readonly text: string
  /** If empty or omitted, the user must type an answer. */
  readonly otherwise?: string
  /** Without a terminal, a hidden answer is read from standard input. No flag can set it. */
  readonly isSecret?: boolean
}

/**
 * Asks a question and passes the answer to `take`. If a typed answer is rejected, the question is asked again. If the
 * value of a flag is rejected, the command fails.
 *
 * @param take throws a usage error, or an error of the server, to reject the answer
 */
export type Ask = <T>(question: Question, take: (answer: string) => Promise<T> | T) => Promise<T>

export function questions({ yes }: Pick<CommonFlags, 'yes'>, { err, input }: Terminal): Ask {
  const canAsk = input.isTerminal && err.isTerminal
  return async ({ flag, isSecret = false, name, otherwise = '', text }, take) => {
    if (flag !== undefined) return take(flag)
    // Other processes can read the command line, and the shell stores it, so read a secret from standard input.
    if (isSecret && !canAsk) return take(await piped(name))
    if (yes === true && otherwise !== '') return take(otherwise)
    if (!canAsk) {
      throw usageError(
        `Without a terminal, questions cannot be asked. Set ${name}${otherwise === '' ? '' : `, or --yes for the default ${otherwise}`}.`,
      )
    }
    const shown = isSecret ? ' (hidden)' : otherwise === '' ? '' : ` [${otherwise}]`
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one question after the other
      const typed = (await input.ask(`${text}${shown}: `, { isSecret })).trim()
      try {
        // oxlint-disable-next-line no-await-in-loop -- as above
        return await take(typed === '' ? otherwise : typed)
      } catch (error) {
        const why = whyNot(error)
        if (why === null) throw error
        err.write(`  ${harmless(why)}\n`)
      }
    }
  }

  async function piped(name: string): Promise<string> {
    const said = textOf(await input.read()).trim()
    if (said === '') throw usageError(`Standard input is empty, but must contain ${name}.`)
    return said
  }
}

/** Null if another answer would not help. */
function whyNot(error: unknown): string | null {
  if (error instanceof CommandError) return error.exitCode === exit.usage ? error.message : null
  const isOfAnswer = error instanceof ApiError && [400, 404, 409, 410, 422].includes(error.status)
  return isOfAnswer ? error.message : null
}
