import type { CommonFlags } from './flags-of-all-commands.ts'
import { CommandError, exit, usageError, type Terminal } from './terminal-interface.ts'

/**
 * @param what an irreversible action, such as `keys revoke key_1`
 * @throws CommandError if the answer is no
 */
export async function confirmed(what: string, { yes }: CommonFlags, { err, input }: Terminal): Promise<void> {
  if (yes === true) return
  if (!input.isTerminal || !err.isTerminal) {
    throw usageError(`tollgate ${what} cannot be undone. To confirm, repeat the command with --yes.`)
  }
  const answer = await input.ask(`tollgate ${what} cannot be undone. Continue? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('Canceled. Nothing was changed.', exit.failed)
}
