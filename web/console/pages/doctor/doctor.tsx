import type { ReactNode } from 'react'
import type { DoctorOutput } from '#sdk/generated/operations.ts'
import { Button } from '#web/ui/button.tsx'
import { CopyButton } from '#web/ui/copy-button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { PageHead, Section } from '#web/ui/page-head-and-sections.tsx'
import { Note, Skeleton, State, type Tone } from '#web/ui/status-notes-and-placeholders.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { useAnswer } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { Go } from '../../shell/console-links.tsx'
import { FindingRow } from './finding-row.tsx'
import { reportText } from './doctor-report-text.ts'

const severities = [
  ['error', 'Errors', 'Problems that cause failed requests or incorrect amounts.'],
  ['warning', 'Warnings', 'Problems that may soon cause failed requests.'],
  ['notice', 'Notices', 'Findings that may be intentional. Review each one.'],
] as const

export default function Doctor(): ReactNode {
  const { data, error, isFetching, refetch } = useAnswer('doctor', {})
  return (
    <>
      <PageHead
        title="Doctor"
        about="Checks this application, its provider accounts and the server in the current mode. The checks don't change anything."
        action={
          <>
            {/* The copy button comes first, so that the other buttons do not move when it appears. */}
            {data && <CopyButton text={reportText(data)} label="Copy report" words="Copy report" />}
            <CopyAs operation="doctor" />
            <Button isBusy={isFetching} onClick={() => void refetch()}>
              Run checks
            </Button>
          </>
        }
      />
      {error && <FailureNote error={error} title="The checks couldn't run." onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-64" />}
      {data && <Report report={data} />}
      {(data || error) && (
        <p className="text-13 text-ink-2">
          Setting up an application? Follow the six steps in <Go to="/onboarding">Getting started</Go>.
        </p>
      )}
    </>
  )
}

function Report({ report }: { readonly report: DoctorOutput }): ReactNode {
  const { checkedAt, findings, sound } = report
  const isAtRisk = findings.some(({ severity }) => severity === 'warning')
  return (
    <>
      <div className="mb-8">
        <Note
          tone={!sound ? 'negative' : isAtRisk ? 'held' : 'positive'}
          title={
            findings.length === 0
              ? 'No problems found'
              : sound
                ? `No errors. ${count(findings.length, 'finding')} to review.`
                : `${count(findings.filter(({ severity }) => severity === 'error').length, 'error')} found`
          }
        >
          <p className="text-13 text-ink-2">
            Checked {report.application} in {report.mode} mode at {exactTimeText(checkedAt)}.
          </p>
        </Note>
      </div>
      {severities.map(([severity, title, about]) => {
        const own = findings.filter((finding) => finding.severity === severity)
        return (
          own.length > 0 && (
            <Section key={severity} title={`${title} (${own.length})`} about={about}>
              <ul className="border-t border-line">
                {own.map((finding) => (
                  <FindingRow
                    key={`${finding.code} ${finding.resource.type} ${finding.resource.id} ${finding.message}`}
                    finding={finding}
                  />
                ))}
              </ul>
            </Section>
          )
        )
      })}
      <Checks checks={report.checks} />
    </>
  )
}

const states: Readonly<Record<string, readonly [Tone, string]>> = {
  sound: ['positive', 'Passed'],
  found: ['held', 'Findings'],
  failed: ['negative', 'Couldn’t run'],
}

function Checks({ checks }: { readonly checks: DoctorOutput['checks'] }): ReactNode {
  return (
    <Section title="Checks" about="All checks that ran.">
      <table className="w-full border-collapse text-14" aria-label="Checks">
        <thead>
          <tr className="text-13 text-ink-3">
            <th scope="col" className="h-9 border-b border-line pr-2 text-left font-medium">
              Check
            </th>
            <th scope="col" className="h-9 border-b border-line px-2 text-left font-medium max-phone:hidden">
              Covers
            </th>
            <th scope="col" className="h-9 border-b border-line pl-2 text-left font-medium">
              Result
            </th>
          </tr>
        </thead>
        <tbody>
          {checks.map(({ findings, looksAt, name, state }) => {
            const [tone, words] = states[state] ?? (['neutral', state] as const)
            return (
              <tr key={name}>
                <th scope="row" className="border-b border-line py-2 pr-2 text-left align-top font-medium">
                  {name}
                </th>
                <td className="border-b border-line p-2 text-13 text-ink-2 max-phone:hidden">{looksAt}</td>
                <td className="border-b border-line py-2 pl-2 align-top whitespace-nowrap">
                  <State
                    tone={tone}
                    words={findings > 0 ? `${words} (${findings})` : words}
                    title={looksAt}
                  />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Section>
  )
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
