/** The commands that consist of more than one operation. Each is loaded when it is called. */
import type { Command } from 'commander'
import { operationById, operationTable } from '#cli/operations/operation-table.ts'
import { addCommonFlags, type CommonFlags } from '#cli/common-flags.ts'
import { addOperationFlags } from '#cli/operations/operation-flags.ts'
import type { Terminal } from '#cli/terminal.ts'

/** Operations that one of these commands shows in its own format. */
const replaced: ReadonlySet<string> = new Set([
  'doctor',
  'emitters.listen',
  'requests.explain',
  'requests.tail',
  'usage',
])

export function isReplaced(id: string): boolean {
  return replaced.has(id)
}

/** @param done receives the exit code */
export function addOwnCommands(program: Command, terminal: Terminal, done: (exitCode: number) => void): void {
  /** Runs with the common flags and those of the command. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- what commander read is what the command says
  const runs = <Flags extends object>(
    command: Command,
    run: (flags: Flags & CommonFlags, ...values: string[]) => Promise<number>,
  ): void => {
    addCommonFlags(command)
    command.action(async (...given: readonly unknown[]) => {
      const values = given.filter((value) => typeof value === 'string')
      done(await run(command.optsWithGlobals<Flags & CommonFlags>(), ...values))
    })
  }

  program.commandsGroup('Begin:')

  runs<{ withToken?: boolean; role?: string }>(
    program
      .command('login')
      .description('sign this machine in: a person approves it in a browser')
      .option('--with-token', 'take an sk_ token from standard input instead')
      .option(
        '--role <role>',
        'what it is to do here: owner, admin, developer or viewer; admin when left out',
      ),
    async (flags) => (await import('./login.ts')).login(flags, terminal),
  )
  runs(
    program.command('logout').description('revoke the token of this machine, and forget it'),
    async (flags) => (await import('./logout.ts')).logout(flags, terminal),
  )
  runs(
    program.command('whoami').description('who calls, where, and what the command line is set to'),
    async (flags) => (await import('./whoami.ts')).whoami(flags, terminal),
  )
  runs<object>(
    program
      .command('use')
      .description('keep an application as the one that is meant; its mode too, with --mode')
      .argument('<app>', 'slug of the application'),
    async (flags, app = '') => (await import('./use.ts')).use(app, flags, terminal),
  )
  runs<Record<string, string>>(
    program
      .command('init')
      .description('from nothing to a call that was paid for, in six steps; what is there already is used')
      .option('--name <text>', 'name of the application')
      .option(
        '--kind <kind>',
        'kind of the provider: simulator, openai, anthropic, google, openai_compatible',
      )
      .option('--base-url <url>', 'address of an openai_compatible provider')
      .option('--provider <label>', 'label of the provider account')
      .option('--model <name>', 'the name of the model that end users will ask for')
      .option('--upstream <id>', "the provider's model id behind it")
      .option('--input-price <dollars>', 'per million tokens in, where no price is published')
      .option('--output-price <dollars>', 'per million tokens out')
      .option('--bundle <slug>', 'the plan of the first end user')
      .option('--user <id>', 'the first end user, by your own id')
      .option('--credit <dollars>', 'credit for that person')
      .option('-y, --yes', 'take the defaults for what is not said'),
    async (flags) => (await import('./init.ts')).init(flags, terminal),
  )
  runs<{ remove?: boolean; days?: string; calls?: string; seed?: string; yes?: boolean }>(
    program
      .command('demo')
      .description(
        'fill test mode with a month of traffic, through the API and the simulator; --remove takes it away',
      )
      .option('--days <count>', 'days of traffic, 1 to 60', '30')
      .option('--calls <count>', 'calls a day on average, 1 to 200', '12')
      .option('--seed <number>', 'the same seed, the same traffic', '1')
      .option('--remove', 'archive the demo application')
      .option('-y, --yes', 'do not ask'),
    async (flags) => (await import('./demo.ts')).demo(flags, terminal),
  )
  runs<{ fix?: boolean }>(
    program
      .command('doctor')
      .description('find problems here, on the server and in the application, and what mends them')
      .option('--fix', 'mend what can be mended without a loss: file modes, and a missing default bundle'),
    async (flags) => (await import('./doctor.ts')).doctor(flags, terminal),
  )

  program.commandsGroup('Look closer:')

  const requests = program
    .command('requests')
    .description('Calls of the gateway, and why each cost what it cost.')
  runs(
    requests
      .command('explain')
      .description('one call as a waterfall: every phase with its time, and its money')
      .argument('<id>', 'id of the call, req_…, its hold or its usage record'),
    async (flags, id = '') => (await import('./requests-explain.ts')).requestsExplain(id, flags, terminal),
  )
  const tail = requests.command('tail').description('watch calls as they end, until Ctrl-C')
  addOperationFlags(tail, operationById('requests.tail'))
  tail.option('--ndjson', 'a call a line as JSON, as --json prints it here')
  runs<Record<string, string>>(tail, async (flags) =>
    (await import('./requests-tail.ts')).requestsTail(flags, terminal),
  )
  const emitters = program
    .command('emitters')
    .description(operationTable.nouns['emitters'] ?? 'Destinations of settled usage.')
    .helpCommand(false)
  const listen = emitters
    .command('listen')
    .description('forward signed usage events to a receiver on this machine, until Ctrl-C')
    .option('--forward-to <url>', 'address of your receiver, like http://localhost:3000/hook')
  addOperationFlags(listen, operationById('emitters.listen'))
  runs<Record<string, string>>(listen, async (flags) =>
    (await import('./emitters-listen.ts')).emittersListen(flags, terminal),
  )
  runs<{ forwardTo?: string }>(
    emitters
      .command('trigger')
      .description('send one sample event: to a receiver with --forward-to, or through an emitter')
      .argument('[id]', 'ID of the emitter, emt_…')
      .option('--forward-to <url>', 'address of your receiver; the server need not reach it'),
    async (flags, id) => (await import('./emitters-trigger.ts')).emittersTrigger(id, flags, terminal),
  )
  const usage = program
    .command('usage')
    .description('what was used and billed, by day, name or user, as bars')
    .option('--by <day|name|user>', 'what the bars are', 'name')
    .option('--from <time>', 'the first day, or -30d')
    .option('--to <time>', 'the end, not included')
    .option('--end-user-id <id>', 'only that person; by name')
  runs<{ by: string; from?: string; to?: string; endUserId?: string }>(usage, async (flags) =>
    (await import('./usage.ts')).usage(flags, terminal),
  )
  runs<{ data?: string; include?: boolean }>(
    program
      .command('api')
      .description('send any request: tollgate api GET /v1/keys')
      .argument('<method>', 'GET, PUT, POST, PATCH or DELETE')
      .argument('<path>', 'from /v1 on, with its query')
      .option('--data <json|@file|->', 'the body: JSON, of a file, or of standard input')
      .option('-i, --include', 'print status and headers too'),
    async (flags, method = '', path = '') => (await import('./api.ts')).api(method, path, flags, terminal),
  )
  runs(
    program
      .command('open')
      .description('open a page: reference, openapi, portal, gateway or device')
      .argument('[page]', 'which one', 'reference'),
    async (flags, page = '') => (await import('./open.ts')).open(page, flags, terminal),
  )
  program
    .command('completion')
    .description('print the completion for a shell: bash, zsh or fish')
    .argument('<shell>', 'bash, zsh or fish')
    .action(async (shell: string) => done((await import('./completion.ts')).completion(shell, terminal)))
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: string[]) =>
      done(await (await import('./complete-words.ts')).completeWords(words, program, terminal)),
    )
}
