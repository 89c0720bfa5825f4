/** `tollgate requests explain <id>`: prints how a request was handled and charged. */
import type { RequestsExplainOutput } from '#sdk/generated/requests.ts'
import { routeOf, senderOf } from '#cli/api-client.ts'
import { operationById } from '#cli/operations/operation-table.ts'
import type { CommonFlags } from '#cli/flags-of-all-commands.ts'
import { printDocument } from '#cli/output/print-response.ts'
import { withProgress } from '#cli/output/progress-indicator.ts'
import { waterfallText } from '#cli/output/print-explanation.ts'
import { settingsOf } from '#cli/settings/settings.ts'
import { exit, type Terminal } from '#cli/terminal-interface.ts'

export async function requestsExplain(id: string, flags: CommonFlags, terminal: Terminal): Promise<number> {
  const sender = senderOf(settingsOf(flags, terminal), terminal)
  const route = routeOf(operationById('requests.explain'))
  const isDocument = flags.json === true || flags.quiet === true
  const shown = await withProgress(terminal, 'requests explain', async () => {
    const call = sender.call<RequestsExplainOutput>(route, { id }, { signal: terminal.signal })
    return isDocument ? (await call.asResponse()).text() : waterfallText(await call, terminal.out)
  })
  if (isDocument)
    printDocument(
      shown,
      {
        isJson: flags.json === true,
        fields: null,
        isQuiet: flags.quiet === true,
        columns: null,
        defaultColumns: null,
        secretField: null,
        emptyHint: '',
        byRow: null,
      },
      terminal,
    )
  else terminal.out.write(shown)
  return exit.ok
}
