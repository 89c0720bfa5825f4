import type { ReactNode } from 'react'
import { spaced } from '#cli/output/call-words.ts'
import { Note } from '#web/ui/state.tsx'
import { Count } from '#web/ui/values.tsx'
import type { Told } from './phases-of.ts'
import { SmallTable } from './table.tsx'

type Usage = NonNullable<Told['usage']>

const dimensions = [
  'input',
  'cacheRead',
  'cacheWrite',
  'cacheWriteLong',
  'audioInput',
  'imageInput',
  'output',
  'reasoning',
  'audioOutput',
  'imageOutput',
  'webSearches',
] as const satisfies readonly (keyof Usage)[]

const parts: ReadonlySet<string> = new Set(['reasoning', 'audioOutput', 'imageOutput'])

const sources: Readonly<Record<string, string>> = {
  provider_reported: 'The provider counted.',
  estimated: 'The gateway counted, or had to interpret what the provider reported.',
  recovered: 'The process died: counted from what had come.',
  'counted so far': 'In flight: counted so far.',
}

/** Our units beside those of the wire. */
export function UsageTable({
  usage,
  wire,
}: {
  readonly usage: Usage
  readonly wire: string | null
}): ReactNode {
  const counts = dimensions.flatMap((name) => {
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
          label="Usage in our units"
          heads={[{ words: 'Our unit' }, { words: 'Tokens', isNumber: true }]}
          rows={counts.map(({ count, name }) => ({
            key: name,
            cells: [
              parts.has(name) ? (
                <span key="name" className="pl-4 text-ink-2">
                  of that, {spaced(name)}
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
            label={`Usage as the wire ${wire ?? ''} names it`}
            heads={[{ words: `As ${wire ?? 'the wire'} names it` }, { words: 'Tokens', isNumber: true }]}
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
          The counts that the provider reported contradict one another. The most expensive reading is charged.
        </Note>
      )}
      {typeof usage.outputBeyond === 'number' && usage.outputBeyond > 0 && (
        <Note>
          The provider sent about {usage.outputBeyond} tokens more than its maximum. They are part of the
          cost, but not of the charge.
        </Note>
      )}
      {usage.isMediaWithin === true && (
        <Note>
          Sound and images are counted within the other input as well, and are charged as if they were split
          in the dearest way.
        </Note>
      )}
    </div>
  )
}
