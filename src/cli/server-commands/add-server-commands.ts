/** The server's code is large, so the code of each command is loaded only when the command is called. */
import { InvalidArgumentError, type Command } from 'commander'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'

export function addServerCommands(program: Command): void {
  program.commandsGroup('Run the server:')

  program
    .command('start')
    .description(
      'start the server; the first start also creates an application and sends one charged request',
    )
    .option('--data <folder>', 'data folder; default: ./data (TOLLGATE_DATA)')
    .option(
      '--port <number>',
      'port to listen on; default: 8080; 0 picks a free port (TOLLGATE_LISTEN)',
      portNumber,
    )
    .action(async (options) => (await import('./start.ts')).start(options))

  program
    .command('serve')
    .description('start only the server, without an application')
    .option('--data <folder>', 'data folder; default: ./data (TOLLGATE_DATA)')
    .option(
      '--port <number>',
      'port to listen on; default: 8080; 0 picks a free port (TOLLGATE_LISTEN)',
      portNumber,
    )
    .option(
      '--workers <number>',
      'number of server processes; requires PostgreSQL (DATABASE_URL)',
      workerCount,
    )
    .option('--json', 'when ready, print one line of JSON: {"baseUrl", "pid", "setup"}')
    .action(async (options) => (await import('./serve.ts')).serve(options))

  program
    .command('setup-link')
    .description('create a sign-in link for the first owner; the server may be running')
    .option('--organization <id>', 'ID of the organization; required if the store has several organizations')
    .option('--data <folder>', 'data folder; overrides TOLLGATE_DATA and DATABASE_URL')
    .action(async (options) => (await import('./setup-link.ts')).setupLink(options))

  program
    .command('token')
    .description('create a control-plane token if all tokens are lost; the server may be running')
    .option('--label <text>', 'label of the token', 'Created by tollgate token')
    .option('--organization <id>', 'ID of the organization; required if the store has several organizations')
    .option('--data <folder>', 'data folder; overrides TOLLGATE_DATA and DATABASE_URL')
    .action(async (options) => (await import('./token.ts')).token(options))

  program
    .command('remove-passkeys')
    .description('remove all passkeys of a member who lost their passkeys; the server may be running')
    .argument('<email>', 'email address of the member')
    .option('--organization <id>', 'ID of the organization; required if the store has several organizations')
    .option('--data <folder>', 'data folder; overrides TOLLGATE_DATA and DATABASE_URL')
    .action(async (email, options) => (await import('./remove-passkeys.ts')).removePasskeysOf(email, options))

  program
    .command('verify')
    .description('rebuild every balance from the ledger and check every invariant; the server may be running')
    .option('--data <folder>', 'data folder; overrides TOLLGATE_DATA and DATABASE_URL')
    .action(async (options) => (await import('./verify.ts')).verify(options))

  program
    .command('migrate')
    .description('migrate the store to the version of this program, as each start of a server does')
    .option('--data <folder>', 'data folder; overrides TOLLGATE_DATA and DATABASE_URL')
    .option(
      '--check',
      'list pending migrations without applying them; exit with code 1 if a migration is pending',
    )
    .action(async (options) => (await import('./migrate.ts')).migrate(options))

  program
    .command('backup')
    .description('write the embedded store to one verified file; the server may be running')
    .argument('<file>', 'file to write; must not exist')
    .option('--data <folder>', 'data folder; default: ./data (TOLLGATE_DATA)')
    .action(async (file, options) => (await import('./backup.ts')).backup(file, options))

  program
    .command('restore')
    .description('restore a backup to a folder that no server uses')
    .argument('<file>', 'file that tollgate backup wrote')
    .option('--data <folder>', 'data folder; default: ./data (TOLLGATE_DATA)')
    .option('--replace', 'if the folder contains a store, rename that store and keep it')
    .option(
      '--unauthenticated',
      'accept the file without checking its seal; use this only if the master key is lost and no one else could write the file',
    )
    .action(async (file, options) => (await import('./restore.ts')).restore(file, options))

  program
    .command('copy')
    .description('copy everything from the embedded store to an empty PostgreSQL database')
    .option(
      '--to <url>',
      'target database, postgres://user@host/database; defaults to DATABASE_URL, which keeps the password out of the process list',
    )
    .option('--data <folder>', 'data folder; default: ./data (TOLLGATE_DATA)')
    .action(async (options) => (await import('./copy.ts')).copy(options))

  program
    .command('prune')
    .description('remove records of uncharged requests (rejected or failed)')
    .requiredOption('--requests-older-than <age>', '(required) minimum age, for example 30d or 12h', ageMs)
    .option('--data <folder>', 'data folder; overrides TOLLGATE_DATA and DATABASE_URL')
    .action(async (options) => (await import('./prune.ts')).prune(options))

  const scale = program
    .command('scale')
    .description('distribute the database (DATABASE_URL) among the nodes of a Citus cluster')
    .helpCommand(false)
  const ofRole = (name: string, description: string): Command =>
    scale
      .command(name)
      .description(description)
      .requiredOption(
        '--role <name>',
        '(required) database role that servers will use; the role can add records but not change records',
      )
  const scaleCommand = (name: string, description: string): Command =>
    ofRole(name, description).option(
      '--shards <number>',
      'number of shards, which is the maximum number of nodes',
      shardCount,
      8,
    )
  scaleCommand('plan', 'list the steps without changing anything').action(async (options) =>
    (await import('./scale.ts')).scalePlan(options),
  )
  scaleCommand(
    'apply',
    'run the steps; stop all servers first; if the command is interrupted, run the command again',
  ).action(async (options) => (await import('./scale.ts')).scaleApply(options))
  ofRole('rebalance', 'move shards to nodes that have fewer shards, while servers run').action(
    async (options) => (await import('./scale.ts')).scaleRebalance(options),
  )
}

function portNumber(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('The value must be from 0 to 65535.')
  return Number(text)
}

function workerCount(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('The value must be from 1 to 999.')
  return Number(text)
}

function shardCount(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) < 2)
    throw new InvalidArgumentError('The value must be from 2 to 999.')
  return Number(text)
}

function ageMs(text: string): number {
  const groups = /^(?<count>[1-9]\d{0,4})(?<unit>[dh])$/.exec(text)?.groups
  if (groups === undefined)
    throw new InvalidArgumentError('The value must be in days or hours, for example 30d or 12h.')
  return Number(groups.count) * (groups.unit === 'd' ? dayMs : hourMs)
}
