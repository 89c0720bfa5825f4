/** The commands of a server's operator. Each is loaded when it is called, because the server is large. */
import { InvalidArgumentError, type Command } from 'commander'

export function addServerCommands(program: Command): void {
  program.commandsGroup('Run the server:')

  program
    .command('start')
    .description('serve, and on the first start make a demo application and one paid call through it')
    .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA)')
    .option('--port <number>', 'port to listen on; 0 for any free one (TOLLGATE_LISTEN)', portNumber)
    .action(async (options) => (await import('./start.ts')).start(options))

  program
    .command('serve')
    .description('serve, and make no demo content')
    .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA)')
    .option('--port <number>', 'port to listen on; 0 for any free one (TOLLGATE_LISTEN)', portNumber)
    .option('--workers <number>', 'number of processes on one PostgreSQL (DATABASE_URL)', workerCount)
    .option('--json', 'print one line of JSON when ready: {"baseUrl", "pid", "setup"}')
    .action(async (options) => (await import('./serve.ts')).serve(options))

  program
    .command('setup-link')
    .description('make a link for the first owner, where there is none yet; works beside a running server')
    .option('--organization <id>', 'id of its organization, where the store has several')
    .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA), whatever DATABASE_URL says')
    .action(async (options) => (await import('./setup-link.ts')).setupLink(options))

  program
    .command('token')
    .description('mint a control-plane token, when all are lost; works beside a running server')
    .option('--label <text>', 'label of the token', 'Made by tollgate token')
    .option('--organization <id>', 'id of its organization, where the store has several')
    .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA), whatever DATABASE_URL says')
    .action(async (options) => (await import('./token.ts')).token(options))

  program
    .command('remove-passkeys')
    .description('remove the passkeys of a member who has lost them; works beside a running server')
    .argument('<email>', 'e-mail address of the member')
    .option('--organization <id>', 'id of its organization, where the store has several')
    .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA), whatever DATABASE_URL says')
    .action(async (email, options) => (await import('./remove-passkeys.ts')).removePasskeysOf(email, options))

  program
    .command('verify')
    .description(
      'rebuild every balance from the ledger and check every invariant; works beside a running server',
    )
    .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA), whatever DATABASE_URL says')
    .action(async (options) => (await import('./verify.ts')).verify(options))

  program
    .command('migrate')
    .description('bring the store to the version of this program, as a start of the server does')
    .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA), whatever DATABASE_URL says')
    .option('--check', 'change nothing; say what is to be applied, and exit with 1 if there is anything')
    .action(async (options) => (await import('./migrate.ts')).migrate(options))

  program
    .command('backup')
    .description('write the embedded store to one verified file; works beside a running server')
    .argument('<file>', 'file to write; it must not exist yet')
    .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA)')
    .action(async (file, options) => (await import('./backup.ts')).backup(file, options))

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
    .action(async (file, options) => (await import('./restore.ts')).restore(file, options))

  program
    .command('copy')
    .description('copy everything from the embedded store to an empty PostgreSQL database')
    .option('--to <url>', 'postgres://user@host/database; without it, DATABASE_URL, which hides the password')
    .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA)')
    .action(async (options) => (await import('./copy.ts')).copy(options))

  program
    .command('prune')
    .description('remove records of calls that were charged nothing: refused ones and failed ones')
    .requiredOption('--requests-older-than <age>', 'for example 30d, or 12h', ageMs)
    .option('--data <folder>', 'where the data is kept (TOLLGATE_DATA), whatever DATABASE_URL says')
    .action(async (options) => (await import('./prune.ts')).prune(options))
}

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
