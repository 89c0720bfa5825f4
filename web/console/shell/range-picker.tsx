import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { TextField, useForm } from '#web/ui/form.tsx'
import { DownIcon } from '#web/ui/icons.tsx'
import { Menu } from '#web/ui/dialog-sheet-and-menu.tsx'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { dateText } from '#web/ui/number-text.ts'
import { zoneText } from '#web/ui/time-zone.ts'
import { FormDialog } from '../form-dialog.tsx'
import { localTime, utcOfLocal } from '../local-time-fields.ts'
import { ranges, useRange } from '../time-range.ts'

export function RangePicker(): ReactNode {
  const [range, setRange] = useRange()
  const [isOpen, setOpen] = useState(false)
  const nowMs = useNow(60_000)
  const words =
    range.name === 'custom' ? `${dateText(range.from, nowMs)} to ${dateText(range.to, nowMs)}` : range.words
  return (
    <>
      <Menu
        trigger={
          <Button size="small" aria-label={`Time range: ${words}`}>
            <span className="figures">{words}</span>
            <DownIcon />
          </Button>
        }
        entries={[
          ...ranges.map(([name, each]) => ({
            words: each,
            isChosen: name === range.name,
            onSelect: () => setRange(name),
          })),
          null,
          { words: 'Custom range', isChosen: range.name === 'custom', onSelect: () => setOpen(true) },
        ]}
      />
      {isOpen && (
        <CustomRange
          from={range.from}
          to={range.to}
          onClose={() => setOpen(false)}
          onChoose={(from, to) => {
            setRange({ from, to })
            setOpen(false)
          }}
        />
      )}
    </>
  )
}

function CustomRange({
  from,
  onChoose,
  onClose,
  to,
}: {
  readonly from: string
  readonly to: string
  readonly onClose: () => void
  readonly onChoose: (from: string, to: string) => void
}): ReactNode {
  const form = useForm({
    draft: null,
    initial: { from: localTime(from), to: localTime(to) },
    check: (values) => {
      const [start, end] = [utcOfLocal(values.from, from), utcOfLocal(values.to, to)]
      return {
        ...(start === null && { from: 'Choose a date and time.' }),
        ...((start === null || end === null || end <= start) && {
          to: 'The end must be later than the start.',
        }),
      }
    },
    send: async (values) => onChoose(utcOfLocal(values.from, from) ?? '', utcOfLocal(values.to, to) ?? ''),
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Custom range"
      about={`Times are in ${zoneText(Date.parse(from))}. The range doesn't include its end.`}
      form={form}
      action="Apply range"
    >
      <TextField form={form} name="from" label="From" type="datetime-local" />
      <TextField form={form} name="to" label="To" type="datetime-local" />
    </FormDialog>
  )
}
