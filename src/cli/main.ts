import { Command, InvalidArgumentError } from 'commander'
import { backup } from './backup.ts'
import { copy } from './copy.ts'
import { migrate } from './migrate.ts'
import { prune } from './prune.ts'
import { restore } from './restore.ts'
import { serve } from './serve.ts'
import { setupLink } from './setup-link.ts'
import { start } from './start.ts'
import { token } from './token.ts'
import { verify } from './verify.ts'

/** The `tollgate` command. Each subcommand is a file of its own; this one only parses arguments. */
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
  .option('--workers <number>', 'number of processes on one PostgreSQL (DATABASE_URL)', workerCount)
  .option('--json', 'print one line of JSON when ready: {"baseUrl", "pid", "setup"}')
  .action(serve)

program
  .command('setup-link')
  .description('make a link for the first owner, where there is none yet; works beside a running server')
  .option('--organization <id>', 'id of its organization, where the store has several')
  .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA), whatever DATABASE_URL says')
  .action(setupLink)

program
  .command('token')
  .description('mint a control-plane token, when all are lost; works beside a running server')
  .option('--label <text>', 'label of the token', 'Made by tollgate token')
  .option('--organization <id>', 'id of its organization, where the store has several')
  .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA), whatever DATABASE_URL says')
  .action(token)

program
  .command('verify')
  .description(
    'rebuild every balance from the ledger and check every invariant; works beside a running server',
  )
  .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA), whatever DATABASE_URL says')
  .action(verify)

program
  .command('migrate')
  .description('bring the store to the version of this program, as a start of the server does')
  .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA), whatever DATABASE_URL says')
  .option('--check', 'change nothing; say what is to be applied, and exit with 1 if there is anything')
  .action(migrate)

program
  .command('backup')
  .description('write the embedded store to one verified file; works beside a running server')
  .argument('<file>', 'file to write; it must not exist yet')
  .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA)')
  .action(backup)

program
  .command('restore')
  .description('make a backup the embedded store of a folder that no server uses')
  .argument('<file>', 'file that backup wrote')
  .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA)')
  .option('--replace', 'put an existing store aside, under another name')
  .option(
    '--unauthenticated',
    'take the file without checking its seal: for a master key that is lost, and a file that only you could write',
  )
  .action(restore)

program
  .command('copy')
  .description('copy everything from the embedded store to an empty PostgreSQL database')
  .requiredOption('--to <url>', 'postgres://user@host/database; a password is better in PGPASSWORD')
  .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA)')
  .action(copy)

program
  .command('prune')
  .description('remove records of calls that were charged nothing: refused ones and failed ones')
  .requiredOption('--requests-older-than <age>', 'for example 30d, or 12h', ageMs)
  .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA), whatever DATABASE_URL says')
  .action(prune)

await program.parseAsync()

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be 0 to 65535.')
  return Number(text)
}

function workerCount(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It must be 1 to 999.')
  return Number(text)
}

function ageMs(text: string): number {
  const groups = /^(?<count>[1-9]\d{0,4})(?<unit>[dh])$/.exec(text)?.groups
  if (groups === undefined) throw new InvalidArgumentError('It must be days or hours: 30d, 12h.')
  return Number(groups.count) * (groups.unit === 'd' ? 86_400_000 : 3_600_000)
}
