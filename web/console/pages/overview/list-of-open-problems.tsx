/** Without a problem, confirms that all checks passed. */
import type { ReactNode } from 'react'
import { FailureNote } from '#web/ui/failure.tsx'
import { Section } from '#web/ui/page-head-and-sections.tsx'
import { Skeleton, State, type Tone } from '#web/ui/status-notes-and-placeholders.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { Go } from '../../shell/console-links.tsx'
import { attentionOf, type Attention } from './open-problems.ts'

const tones: Readonly<Record<Attention['severity'], readonly [Tone, string]>> = {
  error: ['negative', 'Error'],
  warning: ['held', 'Warning'],
  notice: ['neutral', 'Notice'],
}
const shownMax = 4

export function NeedsAttention(): ReactNode {
  const doctor = useAnswer('doctor', {})
  const health = useAnswer('health', { window: '1h' })
  const all = attentionOf(doctor.data, health.data)
  const error = doctor.error ?? health.error
  return (
    <Section title="Needs attention" action={<Go to="/doctor">All checks</Go>}>
      {error && (
        <FailureNote error={error} onRetry={() => void Promise.all([doctor.refetch(), health.refetch()])} />
      )}
      {doctor.isPending || health.isPending ? (
        <Skeleton className="h-14" />
      ) : all.length === 0 && !error ? (
        <p className="border-y border-line py-4 text-14 text-ink-2">
          No problems. {doctor.data?.checks.length} checks passed, and all emitters and providers respond.
        </p>
      ) : (
        <ul className="border-t border-line">
          {all.slice(0, shownMax).map((one) => (
            <li key={one.key} className="border-b border-line py-2 text-14">
              <Go
                to={one.to}
                {...(one.search && { search: one.search })}
                {...(one.params && { params: one.params })}
                className="group block"
              >
                <span className="flex items-baseline gap-3">
                  <span className="w-20 shrink-0 text-13">
                    <State tone={tones[one.severity][0]} words={tones[one.severity][1]} />
                  </span>
                  <span
                    className="line-clamp-3 min-w-0 wrap-anywhere group-hover:underline"
                    title={one.title}
                  >
                    <bdi>{one.title}</bdi>
                  </span>
                </span>
                <span className="line-clamp-2 pl-23 text-13 wrap-anywhere text-ink-2" title={one.about}>
                  <bdi>{one.about}</bdi>
                </span>
              </Go>
            </li>
          ))}
          {all.length > shownMax && (
            <li className="py-2 text-14">
              <Go to="/doctor">{all.length - shownMax} more</Go>
            </li>
          )}
        </ul>
      )}
    </Section>
  )
}
