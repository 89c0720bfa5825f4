import type { ReactNode } from 'react'
import { spaced } from '#explain/amounts-in-explanation-text.ts'
import { dimensionsOn } from '#money/price.ts'
import { usageCounts } from '#money/usage-counts.ts'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { Count } from '#web/ui/formatted-values.tsx'
import type { Told } from './waterfall-phases.ts'
import { SmallTable } from './explanation-table.tsx'

type Usage = NonNullable<Told['usage']>

const parts: ReadonlySet<string> = new Set(dimensionsOn('output').filter((name) => name !== 'output'))

const sources: Readonly<Record<string, string>> = {
  provider_reported: 'Reported by the provider.',
  estimated: 'Counted by the gateway, or interpreted from the report of the provider.',
  recovered: 'Counted from the received output, because the gateway’s process died.',
  'counted so far': 'Counted by the gateway so far. The request is in flight.',
}

export function UsageTable({
  usage,
  wire,
}: {
  readonly usage: Usage
  readonly wire: string | null
}): ReactNode {
  const counts = usageCounts.flatMap((name) => {
    const count = usage[name]
    return typeof count === 'number' && (count > 0 || name === 'input' || name === 'output')
      ? [{ name, count }]
      : []
  })
  const ofWire = usage.inWireTerms ? Object.entries(usage.inWireTerms) : null
  return (
    <div className="flex flex-col gap-3">
      <p className="text-14">
        {sources[usage.tokenSource ?? ''] ?? spaced(usage.tokenSource ?? '')}
        {typeof usage.serviceTier === 'string' && ` Service tier: ${usage.serviceTier}.`}
      </p>
      <div className="grid gap-x-12 gap-y-6 tablet:grid-cols-2">
        <SmallTable
          label="Usage in Tollgate units"
          heads={[{ words: 'Unit' }, { words: 'Tokens', isNumber: true }]}
          rows={counts.map(({ count, name }) => ({
            key: name,
            cells: [
              parts.has(name) ? (
                <span key="name" className="pl-4 text-ink-2">
                  including {spaced(name)}
                </span>
              ) : (
                spaced(name)
              ),
              <Count key="count" of={count} />,
            ],
          }))}
        />
        {ofWire && (
          <SmallTable
            label={`Usage in the fields of the wire format ${wire ?? ''}`}
            heads={[{ words: `Field in ${wire ?? 'the wire format'}` }, { words: 'Tokens', isNumber: true }]}
            rows={ofWire.map(([name, count]) => ({
              key: name,
              cells: [
                <code key="name" className="text-13">
                  {name}
                </code>,
                <Count key="count" of={count} />,
              ],
            }))}
          />
        )}
      </div>
      {usage.isAmbiguous === true && (
        <Note>
          The counts reported by the provider contradict each other. The most expensive interpretation is
          charged.
        </Note>
      )}
      {typeof usage.outputBeyond === 'number' && usage.outputBeyond > 0 && (
        <Note>
          The provider sent about {usage.outputBeyond} tokens more than the requested maximum. These tokens
          are part of the cost, but not of the charge.
        </Note>
      )}
      {usage.isMediaWithin === true && (
        <Note>
          The provider does not report how many of the audio and image tokens were cached. The charge assumes
          the most expensive case that the reported counts allow.
        </Note>
      )}
    </div>
  )
}
