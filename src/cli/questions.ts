/** Questions of a command that is made of several steps: a flag, else what the person types, else the default. */
import { harmless } from './output/text-width.ts'
import type { CommonFlags } from './common-flags.ts'
import { CommandError, exit, usageError, type Terminal } from './terminal.ts'
import { ApiError } from '#sdk/errors.ts'

export interface Question {
  /** What answers it without a terminal: the flag. */
  readonly name: string
  /** What was said there. */
  readonly flag?: string | undefined
  readonly text: string
  /** What an empty line means; empty or left out: it has to be said. */
  readonly otherwise?: string
  /** True: it is not shown, and comes from standard input where there is no terminal. Never a flag. */
  readonly isSecret?: boolean
}

/**
 * Takes the answer. What a person has typed, and does not hold, is asked again; of a flag it is an error.
 *
 * @param take does with it what it is for. A fault of the caller, or a refusal of the server, says that it does not hold
 */
export type Ask = <T>(question: Question, take: (answer: string) => Promise<T> | T) => Promise<T>

export function questions({ yes }: Pick<CommonFlags, 'yes'>, { err, input }: Terminal): Ask {
  const canAsk = input.isTerminal && err.isTerminal
  return async ({ flag, isSecret = false, name, otherwise = '', text }, take) => {
    if (flag !== undefined) return take(flag)
    // What stands on a command line is seen by every process, and kept by the shell.
    if (isSecret && !canAsk) return take(await piped(name))
    if (yes === true && otherwise !== '') return take(otherwise)
    if (!canAsk) {
      throw usageError(
        `Without a terminal nobody can be asked: say ${name}${otherwise === '' ? '' : `, or --yes for ${otherwise}`}.`,
      )
    }
    const shown = isSecret ? ' (not shown)' : otherwise === '' ? '' : ` [${otherwise}]`
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
    const said = new TextDecoder().decode(await input.read()).trim()
    if (said === '') throw usageError(`Standard input is empty; it holds ${name}.`)
    return said
  }
}

/** Null: another answer would not help. */
function whyNot(error: unknown): string | null {
  if (error instanceof CommandError) return error.exitCode === exit.usage ? error.message : null
  const isOfAnswer = error instanceof ApiError && [400, 404, 409, 410, 422].includes(error.status)
  return isOfAnswer ? error.message : null
}
