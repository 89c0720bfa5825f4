import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import type { SharedLimitUse } from '#sdk/generated/types.ts'
import { limitAmountText, limitText } from '#web/ui/limit-text.ts'
import { When } from '#web/ui/formatted-values.tsx'
import { LimitsDialog } from './limits-dialog.tsx'

export function LimitsSection({
  empty,
  mayChange,
  uses,
  ...dialog
}: Omit<Parameters<typeof LimitsDialog>[0], 'onClose'> & {
  readonly empty: string
  readonly mayChange: boolean
  /** Omit the amounts if the page shows them elsewhere. */
  readonly uses?: readonly SharedLimitUse[]
}): ReactNode {
  const [isEditing, setEditing] = useState(false)
  const { limits } = dialog
  return (
    <Section
      title="Limits"
      action={
        mayChange && (
          <Button size="small" onClick={() => setEditing(true)}>
            {limits.length === 0 ? 'Set limits' : 'Change limits'}
          </Button>
        )
      }
    >
      {limits.length === 0 ? (
        <p className="text-14 text-ink-2">{empty}</p>
      ) : (
        <ul className="flex flex-col gap-1 text-14">
          {limits.map((limit, at) => (
            <li key={limitText(limit)} data-limit={limit.measure}>
              {limitText(limit)}:{' '}
              <span className="figures font-medium">
                {limitAmountText(limit.measure, BigInt(limit.most))}
              </span>
              <Use of={uses?.[at]} />
            </li>
          ))}
        </ul>
      )}
      {isEditing && <LimitsDialog {...dialog} onClose={() => setEditing(false)} />}
    </Section>
  )
}

function Use({ of: use }: { readonly of: SharedLimitUse | undefined }): ReactNode {
  if (use === undefined) return null
  return (
    <span className="text-ink-2" data-used={use.used}>
      , <span className="figures">{limitAmountText(use.measure, BigInt(use.used))}</span> used
      {use.resetsAt !== null && (
        <>
          , resets <When at={use.resetsAt} />
        </>
      )}
    </span>
  )
}
