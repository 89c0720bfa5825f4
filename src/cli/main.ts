import { Command, InvalidArgumentError } from 'commander'
import { serve } from './serve.ts'
import { start } from './start.ts'
import { verify } from './verify.ts'

/** The `tollgate` command. Each subcommand is a file of its own; this one only reads the words. */
const program = new Command('tollgate')
  .description(
    'A metered model gateway: holds the worst case, meters the stream, settles to the micro-dollar.',
  )
  .showHelpAfterError()

program
  .command('start')
  .description('serve, and on the first start make a demo application and one paid call through it')
  .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA)')
  .option('--port <number>', 'port to listen on; 0 for any free one (TOLLGATE_LISTEN)', portNumber)
  .action(start)

program
  .command('serve')
  .description('serve, and make no demo content')
  .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA)')
  .option('--port <number>', 'port to listen on; 0 for any free one (TOLLGATE_LISTEN)', portNumber)
  .option('--json', 'print one line of JSON when ready: {"baseUrl", "pid", "setup"}')
  .action(serve)

program
  .command('verify')
  .description(
    'rebuild every balance from the ledger and check every invariant; works beside a running server',
  )
  .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA)')
  .action(verify)

await program.parseAsync()

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be 0 to 65535.')
  return Number(text)
}
