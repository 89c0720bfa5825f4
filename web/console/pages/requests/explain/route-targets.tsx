import type { ReactNode } from 'react'
import { spaced } from '#explain/amounts-in-explanation-text.ts'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { State } from '#web/ui/status-notes-and-placeholders.tsx'
import { Money as Amount } from '#web/ui/formatted-values.tsx'
import type { Told } from './waterfall-phases.ts'
import { SmallTable } from './explanation-table.tsx'

export function RouteTargets({ route }: { readonly route: NonNullable<Told['route']> }): ReactNode {
  const candidates = route.candidates ?? []
  return (
    <div className="flex flex-col gap-4">
      <Facts
        className="max-w-prose"
        facts={[
          ['Provider', <bdi key="account">{route.account ?? route.provider ?? '–'}</bdi>],
          ['Model', <bdi key="model">{route.model ?? '–'}</bdi>],
          typeof route.router === 'string'
            ? ['Router', `${route.router}${route.policy ? `, ${spaced(route.policy)}` : ''}`]
            : null,
          typeof route.upstreamWire === 'string' ? ['Provider wire format', route.upstreamWire] : null,
          (route.lost?.length ?? 0) > 0
            ? ['Parameters not sent to the provider', (route.lost ?? []).join(', ')]
            : null,
        ]}
      />
      {candidates.length > 1 && (
        <SmallTable
          label="Targets"
          heads={[
            { words: 'Target' },
            { words: 'Path' },
            { words: 'Worst case', isNumber: true },
            { words: 'Result' },
          ]}
          rows={candidates.map((one, at) => ({
            key: `${at}`,
            cells: [
              <bdi key="target">
                {one.account ?? one.provider}/{one.model}
              </bdi>,
              <bdi key="path">{(one.path ?? []).join(' → ') || '–'}</bdi>,
              <Amount
                key="worst"
                micros={one.worstCase?.micros ?? null}
                reason="The target has no price, or its worst-case cost was not recorded"
              />,
              typeof one.skipped === 'string' ? (
                <State key="what" tone="neutral" words={`skipped: ${one.skipped}`} />
              ) : (
                <State key="what" tone="positive" words="available" />
              ),
            ],
          }))}
        />
      )}
    </div>
  )
}
