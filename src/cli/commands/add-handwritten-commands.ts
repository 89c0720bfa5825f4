/** The commands that are not a single API operation. Their code is loaded only when they are called. */
import type { Command } from 'commander'
import { operationById, operationTable } from '#cli/operations/operation-table.ts'
import { addCommonFlags, type CommonFlags } from '#cli/flags-of-all-commands.ts'
import { addOperationFlags } from '#cli/operations/operation-flags.ts'
import type { Terminal } from '#cli/terminal-interface.ts'

/** Operations with a handwritten command, which prints the response in a different format. */
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

export function addOwnCommands(program: Command, terminal: Terminal, done: (exitCode: number) => void): void {
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

  program.commandsGroup('Get started:')

  runs<{ withToken?: boolean; role?: string }>(
    program
      .command('login')
      .description('sign in on this machine; the sign-in is approved in a browser')
      .option('--with-token', 'read an sk_ token from standard input instead')
      .option('--role <role>', 'role of the token: owner, admin, developer or viewer; defaults to admin'),
    async (flags) => (await import('./login.ts')).login(flags, terminal),
  )
  runs(program.command('logout').description('revoke and delete the token of this machine'), async (flags) =>
    (await import('./logout.ts')).logout(flags, terminal),
  )
  runs(
    program.command('whoami').description('show the signed-in account and the current settings'),
    async (flags) => (await import('./whoami.ts')).whoami(flags, terminal),
  )
  runs<object>(
    program
      .command('use')
      .description('set the default application, and with --mode also the default mode')
      .argument('<app>', 'slug of the application'),
    async (flags, app = '') => (await import('./use.ts')).use(app, flags, terminal),
  )
  runs<Record<string, string>>(
    program
      .command('init')
      .description(
        'set up everything for a first charged request, in six steps; existing resources are reused',
      )
      .option('--name <text>', 'name of the application')
      .option('--kind <kind>', 'kind of provider: simulator, openai, anthropic, google or openai_compatible')
      .option('--base-url <url>', 'base URL of an openai_compatible provider')
      .option('--provider <label>', 'label of the provider account')
      .option('--model <name>', 'model name for end users')
      .option('--upstream <id>', 'model ID at the provider')
      .option('--input-price <dollars>', 'cost per million input tokens, if no price is published')
      .option('--output-price <dollars>', 'cost per million output tokens, if no price is published')
      .option('--bundle <slug>', 'bundle (plan) of the first end user')
      .option('--user <id>', 'your own ID for the first end user')
      .option('--credit <dollars>', 'credit for the first end user')
      .option('-y, --yes', 'use the default for each omitted option'),
    async (flags) => (await import('./init.ts')).init(flags, terminal),
  )
  runs<{ remove?: boolean; days?: string; calls?: string; seed?: string; yes?: boolean }>(
    program
      .command('sample')
      .description('create a test-mode application with a month of traffic through the API and the simulator')
      .option('--days <count>', 'days of traffic, 1 to 60', '30')
      .option('--calls <count>', 'average requests per day, 1 to 200', '12')
      .option('--seed <number>', 'seed of the traffic; the same seed creates the same traffic', '1')
      .option('--remove', 'archive the sample application')
      .option('-y, --yes', 'do not ask for confirmation'),
    async (flags) => (await import('./sample.ts')).sample(flags, terminal),
  )
  runs<{ fix?: boolean }>(
    program
      .command('doctor')
      .description(
        'find problems on this machine, on the server and in the application, and show how to fix them',
      )
      .option('--fix', 'apply the safe fixes: file permissions and a missing default bundle'),
    async (flags) => (await import('./doctor.ts')).doctor(flags, terminal),
  )

  program.commandsGroup('Inspect:')

  const requests = program
    .command('requests')
    .description('Gateway requests, with the calculation of their charges.')
    .helpCommand(false)
  runs(
    requests
      .command('explain')
      .description('show one request as a waterfall, with the time and the amounts of every phase')
      .argument('<id>', 'ID of the request (req_…), of its hold or of its usage record'),
    async (flags, id = '') => (await import('./requests-explain.ts')).requestsExplain(id, flags, terminal),
  )
  const tail = requests.command('tail').description('print requests as they finish, until Ctrl-C')
  addOperationFlags(tail, operationById('requests.tail'))
  tail.option('--ndjson', 'print each request as one line of JSON; same as --json')
  runs<Record<string, string>>(tail, async (flags) =>
    (await import('./requests-tail.ts')).requestsTail(flags, terminal),
  )
  const emitters = program
    .command('emitters')
    .description(
      operationTable.nouns['emitters'] ?? 'Destinations that receive an event for each settled request.',
    )
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
      .description('send one sample event through an emitter, or to a receiver with --forward-to')
      .argument('[id]', 'ID of the emitter, emt_…')
      .option('--forward-to <url>', 'address of your receiver; the server does not need to reach it'),
    async (flags, id) => (await import('./emitters-trigger.ts')).emittersTrigger(id, flags, terminal),
  )
  const usage = program
    .command('usage')
    .description('show usage and billed amounts by day, model name or end user, as bars')
    .option('--by <day|name|user>', 'group by day, model name or end user', 'name')
    .option('--from <time>', 'start, as a day (2026-11-20), in ISO 8601, or relative to now, like -30d')
    .option('--to <time>', 'end (exclusive), in the same notations')
    .option('--end-user-id <id>', 'include only this end user; requires --by name')
  runs<{ by: string; from?: string; to?: string; endUserId?: string }>(usage, async (flags) =>
    (await import('./usage.ts')).usage(flags, terminal),
  )
  runs<{ data?: string; include?: boolean }>(
    program
      .command('api')
      .description('send any API request: tollgate api GET /v1/keys')
      .argument('<method>', 'GET, PUT, POST, PATCH or DELETE')
      .argument('<path>', 'path from /v1, including the query')
      .option('--data <json|@file|->', 'body in JSON: as text, from @file, or from standard input (-)')
      .option('-i, --include', 'also print the status and the headers'),
    async (flags, method = '', path = '') => (await import('./api.ts')).api(method, path, flags, terminal),
  )
  runs(
    program
      .command('open')
      .description('open a page: console, reference, openapi, portal, gateway or device')
      .argument('[page]', 'name of the page', 'reference'),
    async (flags, page = '') => (await import('./open.ts')).open(page, flags, terminal),
  )
  program
    .command('completion')
    .description('print the completion script for bash, zsh or fish')
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
