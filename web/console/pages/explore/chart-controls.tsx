/** Each choice is written to the URL immediately. */
import { useId, type ReactNode } from 'react'
import { useSetSearch } from '../../url-parameters.ts'
import { rollupsFor, tops, type Asked } from './settings-in-explore-url.ts'
import {
  dimensions,
  firstMetric,
  isOfCalls,
  isOfPeople,
  metrics,
  type Dimension,
} from './metrics-and-dimensions.ts'

export function Controls({
  asked,
  lengthMs,
}: {
  readonly asked: Asked
  readonly lengthMs: number
}): ReactNode {
  const setSearch = useSetSearch()
  const { by, filters, isCompared, isCumulated, metric, rollup, second, top } = asked
  const usable = rollupsFor(lengthMs)
  const hasPeople = [by, second, ...Object.keys(filters)].some(isOfPeople)
  const fits = (one: Dimension): boolean =>
    one !== by && !(isOfPeople(by) && isOfCalls(one)) && !(isOfCalls(by) && isOfPeople(one))
  return (
    <div className="flex flex-wrap items-end gap-x-4 gap-y-3">
      <Choice
        label="Metric"
        value={metric.id}
        options={metrics.map(({ id, words }) => [id, words])}
        onChange={(value) => setSearch({ metric: value === firstMetric.id ? null : value })}
      />
      <Choice
        label="Group by"
        value={by ?? 'none'}
        options={[['none', 'No grouping'], ...dimensions]}
        onChange={(value) => setSearch({ by: value === 'model' ? null : value, second: null })}
      />
      {by !== null && (
        <Choice
          label="Then by"
          value={second ?? 'none'}
          options={[['none', 'No grouping'], ...dimensions.filter(([one]) => fits(one))]}
          onChange={(value) => setSearch({ second: value === 'none' ? null : value })}
        />
      )}
      <Choice
        label="Interval"
        value={rollup ?? 'auto'}
        options={[
          ['auto', 'Automatic'],
          ...(['minute', 'hour', 'day', 'week'] as const)
            .filter((one) => usable.includes(one) && !(hasPeople && (one === 'minute' || one === 'hour')))
            .map((one) => [one, `${one[0]?.toUpperCase()}${one.slice(1)}`] as const),
        ]}
        onChange={(value) => setSearch({ rollup: value === 'auto' ? null : value })}
      />
      {by !== null && (
        <Choice
          label="Top groups"
          value={String(top)}
          options={tops.map((one) => [String(one), String(one)])}
          onChange={(value) => setSearch({ top: value === '7' ? null : value })}
        />
      )}
      <Check
        label="Cumulative"
        isOn={isCumulated}
        onChange={(isOn) => setSearch({ sum: isOn ? '1' : null })}
      />
      <Check
        label="Compare to previous period"
        isOn={isCompared}
        onChange={(isOn) => setSearch({ compare: isOn ? '1' : null })}
      />
    </div>
  )
}

function Choice({
  label,
  onChange,
  options,
  value,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, words: string])[]
  readonly onChange: (value: string) => void
}): ReactNode {
  const id = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-12 text-ink-3">
        {label}
      </label>
      <select
        id={id}
        className="h-8 max-w-48 rounded border border-edge bg-surface px-2 text-13 text-ink"
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </div>
  )
}

function Check({
  isOn,
  label,
  onChange,
}: {
  readonly label: string
  readonly isOn: boolean
  readonly onChange: (isOn: boolean) => void
}): ReactNode {
  return (
    <label className="flex h-8 items-center gap-2 text-13">
      <input
        type="checkbox"
        className="size-4 accent-accent"
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  )
}
