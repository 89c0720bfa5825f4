/** A selection takes effect immediately, without a button. */
import { Tabs as Base } from '@base-ui/react/tabs'
import { Switch as BaseSwitch } from '@base-ui/react/switch'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export function Tabs({
  chosen,
  label,
  onChoose,
  tabs,
}: {
  readonly label: string
  readonly chosen: string
  readonly onChoose: (id: string) => void
  readonly tabs: readonly { readonly id: string; readonly words: ReactNode; readonly content: ReactNode }[]
}): ReactNode {
  return (
    <Base.Root value={chosen} onValueChange={(value) => onChoose(String(value))}>
      <Base.List
        aria-label={label}
        className="mb-4 flex gap-4 overflow-x-auto border-b border-line"
        activateOnFocus
      >
        {tabs.map(({ id, words }) => (
          <Base.Tab
            key={id}
            value={id}
            className="-mb-px h-9 border-b-2 border-transparent px-0.5 whitespace-nowrap text-ink-2 hover:text-ink data-active:border-ink data-active:font-medium data-active:text-ink"
          >
            {words}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map(({ content, id }) => (
        <Base.Panel key={id} value={id}>
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}

export function Segments<Value extends string>({
  label,
  onChange,
  options,
  value,
}: {
  readonly label: string
  readonly value: Value
  readonly options: readonly (readonly [value: Value, words: string])[]
  readonly onChange: (value: Value) => void
}): ReactNode {
  return (
    <div
      role="radiogroup"
      aria-label={label}
      className="relative flex w-fit max-w-full overflow-x-auto rounded border border-edge p-0.5"
    >
      {options.map(([one, words]) => (
        <label
          key={one}
          className={classNames(
            'flex h-7 cursor-pointer items-center rounded-[4px] px-2.5 text-13 whitespace-nowrap has-focus-visible:outline-2 has-focus-visible:outline-accent',
            one === value ? 'bg-surface-3 font-medium text-ink' : 'text-ink-2 hover:text-ink',
          )}
        >
          <input
            type="radio"
            className="sr-only"
            name={label}
            checked={one === value}
            onChange={() => onChange(one)}
          />
          {words}
        </label>
      ))}
    </div>
  )
}

/** Changes only after the server has confirmed the change. */
export function Switch({
  isBusy = false,
  isOn,
  label,
  onChange,
}: {
  readonly isOn: boolean
  readonly isBusy?: boolean
  readonly label: string
  readonly onChange: (isOn: boolean) => void
}): ReactNode {
  return (
    <BaseSwitch.Root
      checked={isOn}
      disabled={isBusy}
      aria-label={label}
      aria-busy={isBusy || undefined}
      onCheckedChange={onChange}
      className="inline-flex h-6 w-11 shrink-0 items-center rounded-full border border-edge bg-surface-3 p-0.5 data-checked:border-accent data-checked:bg-accent data-disabled:opacity-60"
    >
      <BaseSwitch.Thumb className="size-4.5 rounded-full border border-edge bg-surface transition-transform duration-120 data-checked:translate-x-5" />
    </BaseSwitch.Root>
  )
}
