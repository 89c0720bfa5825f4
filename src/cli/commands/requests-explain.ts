/** `tollgate requests explain <id>`. */
import { routeOf, senderOf } from '#cli/client.ts'
import { operationById } from '#cli/operations/operation-table.ts'
import type { CommonFlags } from '#cli/common-flags.ts'
import { printDocument } from '#cli/output/answer.ts'
import { withProgress } from '#cli/output/progress.ts'
import { isRow } from '#cli/output/table.ts'
import { waterfallText } from '#cli/output/waterfall.ts'
import { settingsOf } from '#cli/settings/settings.ts'
import { exit, type Terminal } from '#cli/terminal.ts'

export async function requestsExplain(id: string, flags: CommonFlags, terminal: Terminal): Promise<number> {
  const sender = senderOf(settingsOf(flags, terminal), terminal)
  const route = routeOf(operationById('requests.explain'))
  const text = await withProgress(terminal, 'requests explain', async () => {
    const response = await sender.call(route, { id }, { signal: terminal.signal }).asResponse()
    return response.text()
  })
  const answer: unknown = JSON.parse(text)
  if (flags.json === true || flags.quiet === true || !isRow(answer)) {
    printDocument(
      text,
      {
        isJson: flags.json === true,
        fields: null,
        isQuiet: flags.quiet === true,
        columns: null,
        defaultColumns: null,
        secretField: null,
        byRow: null,
      },
      terminal,
    )
  } else terminal.out.write(waterfallText(answer, terminal.out))
  return exit.ok
}
