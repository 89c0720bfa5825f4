/** Opening and closing times are in UTC. */
import type { ReactNode } from 'react'
import { Button, IconButton } from '#web/ui/button.tsx'
import { inputClass, type Form } from '#web/ui/form.tsx'
import { CloseIcon } from '#web/ui/icons.tsx'
import { hoursOf, type GatewayValues, type Hours } from './gateway-settings-as-form-fields.ts'

const days = [
  ['mon', 'Mon'],
  ['tue', 'Tue'],
  ['wed', 'Wed'],
  ['thu', 'Thu'],
  ['fri', 'Fri'],
  ['sat', 'Sat'],
  ['sun', 'Sun'],
] as const

export function WeekField({ form }: { readonly form: Form<GatewayValues> }): ReactNode {
  const lines: readonly Hours[] = hoursOf(form.values.hours) ?? []
  const write = (next: readonly Hours[]): void =>
    form.set('hours', next.length === 0 ? '' : JSON.stringify(next))
  const change = (at: number, part: Partial<Hours>): void =>
    write(lines.map((line, place) => (place === at ? { ...line, ...part } : line)))
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-13 font-medium">Opening hours (UTC)</legend>
      {lines.length === 0 && <p className="text-14">Requests are accepted at all hours.</p>}
      {lines.map((line, at) => (
        <div
          // oxlint-disable-next-line react/no-array-index-key -- a line is identified by its position
          key={at}
          role="group"
          aria-label={`Hours, line ${at + 1}`}
          className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded border border-line p-2"
        >
          <span className="flex flex-wrap gap-x-3 gap-y-1">
            {days.map(([day, words]) => (
              <label key={day} className="flex min-h-6 items-center gap-1 text-13">
                <input
                  type="checkbox"
                  className="size-4 accent-accent"
                  checked={line.days.includes(day)}
                  onChange={(event) =>
                    change(at, {
                      days: days
                        .map(([one]) => one)
                        .filter((one) => (one === day ? event.target.checked : line.days.includes(one))),
                    })
                  }
                />
                {words}
              </label>
            ))}
          </span>
          <span className="ml-auto flex items-center gap-2 text-13">
            <Time label="Opens" value={line.from} onChange={(from) => change(at, { from })} />
            to
            {/* Time fields do not accept 24:00, so midnight represents the end of a day. */}
            <Time
              label="Closes"
              value={line.until === '24:00' ? '00:00' : line.until}
              onChange={(until) => change(at, { until: until === '00:00' ? '24:00' : until })}
            />
            <IconButton
              label={`Remove line ${at + 1}`}
              onClick={() => write(lines.filter((_, place) => place !== at))}
            >
              <CloseIcon />
            </IconButton>
          </span>
        </div>
      ))}
      <div>
        <Button
          size="small"
          onClick={() =>
            write([...lines, { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '08:00', until: '18:00' }])
          }
        >
          {lines.length === 0 ? 'Limit hours' : 'Add line'}
        </Button>
      </div>
      <p className="text-13 text-ink-3">
        Requests at other times return 403 outside_hours with the next opening time. A closing time that is
        not later than the opening time is on the next day.
      </p>
      {form.faults.hours !== undefined && (
        <p role="alert" className="text-13 text-negative">
          {form.faults.hours}
        </p>
      )}
    </fieldset>
  )
}

function Time({
  label,
  onChange,
  value,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}): ReactNode {
  return (
    <input
      type="time"
      aria-label={label}
      className={`${inputClass} figures w-28`}
      value={value}
      onChange={(event) => event.target.value !== '' && onChange(event.target.value)}
    />
  )
}
