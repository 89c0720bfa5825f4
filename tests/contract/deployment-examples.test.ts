/** Checks the configuration that operators copy for other programs: proxies, Prometheus and containers. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const textOf = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

it('in the Caddyfile of the proxy guide, each block begins at the end of a line, because Caddy rejects other blocks', () => {
  const blocks = [...textOf('docs/guides/proxy.md').matchAll(/^```text\n(.*?)^```$/gms)].map(
    ([, block = '']) => block,
  )
  const caddyfile = blocks.find((block) => block.includes('reverse_proxy')) ?? ''
  const lines = caddyfile.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(3)
  // Placeholders such as {host} have no space after the brace.
  expect(lines.filter((line) => /\{ +\S|\S +\}/.test(line))).toEqual([])
  expect(lines.filter((line) => line.endsWith('{'))).toHaveLength(
    lines.filter((line) => line.trim() === '}').length,
  )
})

it('the Prometheus configuration of the telemetry guide is YAML, and scrapes an address that the server accepts as Host', () => {
  const block = /^ {4}scrape_configs:\n(?: {4}.*\n)+/m.exec(textOf('docs/guides/telemetry.md'))?.[0] ?? ''
  const { scrape_configs: jobs } = parse(block.replaceAll(/^ {4}/gm, ''))
  expect(jobs).toMatchObject([{ job_name: 'tollgate' }])
  const [target = ''] = jobs[0].static_configs[0].targets as string[]
  expect(isIP(target.replace(/:\d+$/, '')), target).toBe(4)
})

it('the compose file waits until PostgreSQL accepts connections over the network', () => {
  // While the image creates the database, a temporary server accepts connections only at its Unix socket.
  const { test } = parse(textOf('deploy/compose.yaml')).services.postgres.healthcheck
  expect(test).toEqual(expect.arrayContaining(['pg_isready', '--host=127.0.0.1']))
})
