/**
 * Checks the parts of deploy/ and docs/guides/install.md that can run in a test. The test builds no image and starts no
 * systemd unit. Instead, the test runs the commands of both with the same settings.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '#app/server-configuration.ts'
import { unknownSettings } from '#app/setting-names.ts'
import { run } from '../support/start-product.ts'
import { freePort } from '../support/free-port.ts'
import { filesUnder, installPackage, type InstalledPackage } from '../support/install-packed-product.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')

let installed: InstalledPackage
beforeAll(async () => {
  installed = await installPackage()
})
afterAll(() => installed.remove())

describe('the container file', () => {
  const instructions = textOf('deploy/Containerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [word = '', ...rest] = line.trim().split(/\s+/)
      return { word, rest: rest.join(' ') }
    })
  const all = (word: string): string[] =>
    instructions.filter((one) => one.word === word).map(({ rest }) => rest)
  const environment = Object.fromEntries(all('ENV').map((line) => line.split('=') as [string, string]))

  it('the container file has valid instructions, and copies existing files', () => {
    const known =
      'ARG FROM COPY RUN ENV USER WORKDIR VOLUME EXPOSE HEALTHCHECK STOPSIGNAL ENTRYPOINT CMD'.split(' ')
    for (const { word } of instructions) expect(known).toContain(word)
    const [packed = '', unpacked = ''] = all('COPY')
    const downloads = join(installed.packed.tollgate, '..')
    const [pattern = ''] = packed.split(' ')
    expect(globSync(pattern, { cwd: downloads })).toEqual([basename(installed.packed.tollgate)])
    // npm installs to the first folder, and the entry point runs the program from the second folder.
    expect(unpacked).toBe('--from=package /installed/lib/node_modules/tollgate /opt/tollgate')
    expect(existsSync(join(installed.path, '.local/lib/node_modules/tollgate'))).toBe(true)
    const [program = ''] = JSON.parse(all('ENTRYPOINT')[0] ?? '[]') as string[]
    expect(existsSync(program.replace('/opt/tollgate', installed.folder))).toBe(true)
  })

  it('the container file names the Node.js version of the tests, and an unprivileged user', () => {
    const images = new Set(all('FROM').map((line) => line.split(' ')[0]))
    expect([...images]).toEqual(['${NODE_IMAGE}'])
    const { version } = JSON.parse(textOf('package-lock.json')).packages['node_modules/node']
    const [image = ''] = all('ARG')
    expect(image.split('@')[0]).toBe(`NODE_IMAGE=docker.io/library/node:${version}-bookworm-slim`)
    expect(all('USER')).toEqual(['node'])
    expect(all('VOLUME')).toEqual([environment['TOLLGATE_DATA']])
  })

  it('the container starts a healthy server, writes only to its volume, and stops on the signal that its file names', async () => {
    const home = join(installed.path, 'container-home')
    const data = join(installed.path, 'container-data')
    const work = join(installed.path, 'container-work')
    for (const folder of [home, data, work]) mkdirSync(folder)
    const port = await freePort()
    const [program = ''] = JSON.parse(all('ENTRYPOINT')[0] ?? '[]') as string[]
    const args = JSON.parse(all('CMD')[0] ?? '[]') as string[]
    const child = spawn(program.replace('/opt/tollgate', installed.folder), args, {
      cwd: work,
      env: {
        PATH: installed.environment['PATH'],
        HOME: home,
        ...environment,
        TOLLGATE_LISTEN: environment['TOLLGATE_LISTEN']?.replace('8080', String(port)),
        TOLLGATE_DATA: data,
        TOLLGATE_BASE_URL: 'https://tollgate.example.com',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'exit')
    await firstLineOf(child)
    const [, command = '[]'] = / CMD (\[.*\])$/.exec(all('HEALTHCHECK')[0] ?? '') ?? []
    const [file = '', ...words] = JSON.parse(command) as string[]
    const asked = words.map((word) => word.replace(':8080', `:${port}`))
    const check = (): Promise<{ code: number }> => run(file, asked, installed.environment)
    expect(await check()).toMatchObject({ code: 0 })
    child.kill(all('STOPSIGNAL')[0] as NodeJS.Signals)
    expect(await ended).toEqual([0, null])
    expect(await check()).toMatchObject({ code: 1 })
    expect([filesUnder(home), filesUnder(work)]).toEqual([[], []])
    expect(filesUnder(data)).toContain('master-key')
  })
})

describe('the compose file', () => {
  const { services, volumes } = parse(textOf('deploy/compose.yaml'))

  it('the compose file builds from the files of the package, and names existing volumes and services', () => {
    const { build, depends_on: needed } = services.tollgate
    const folder = join(root, 'deploy')
    expect(join(folder, build.context, build.dockerfile)).toBe(join(root, 'deploy/Containerfile'))
    expect(join(folder, build.context)).toBe(join(root, 'dist'))
    expect(Object.keys(needed)).toEqual(['postgres'])
    expect(services.postgres.healthcheck.test).toContain('pg_isready')
    const mounted = [services.tollgate, services.postgres].flatMap((one) =>
      one.volumes.map((line: string) => line.split(':')[0]),
    )
    expect(mounted).toEqual(Object.keys(volumes))
  })

  it('the compose file sets only settings that exist, and grants no unnecessary permission', () => {
    const environment = Object.entries<string | null>(services.tollgate.environment)
    const passedOn = environment.filter(([, value]) => value === null).map(([name]) => name)
    expect(passedOn).toEqual(['TOLLGATE_GATEWAY_URL', 'TOLLGATE_PORTAL_URL', 'TOLLGATE_TRUSTED_PROXIES'])
    expect(unknownSettings(Object.fromEntries(passedOn.map((name) => [name, 'x'])))).toEqual([])
    const given = environment.flatMap(([name, value]) =>
      value === null
        ? []
        : [
            [
              name,
              value
                .replace(/^\$\{\w+:-(?<usual>.*)\}$/, '$<usual>')
                .replace(/^\$\{\w+:\?.*\}$/, Buffer.alloc(32).toString('base64')),
            ],
          ],
    )
    const config = readConfig(Object.fromEntries(given))
    expect(config.databaseUrl).toBe('postgres://tollgate@postgres/tollgate')
    expect(services.tollgate).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
    // The database starts as root, and needs five permissions to switch to its own user.
    expect(services.postgres).toMatchObject({
      cap_drop: ['ALL'],
      cap_add: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
      security_opt: ['no-new-privileges:true'],
    })
  })
})

it('systemd accepts the unit file, which sets only settings that exist', ({ skip }) => {
  const unit = textOf('deploy/tollgate.service')
  const given = [...unit.matchAll(/^Environment=(?<name>\w+)=(?<value>.*)$/gm)]
  expect(() => readConfig(Object.fromEntries(given.map(([, name, value]) => [name, value])))).not.toThrow()
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
    return skip('the machine has no systemd-analyze to read the unit')
  }
  const file = join(installed.path, 'tollgate.service')
  expect(unit).toContain('ExecStart=/usr/local/bin/tollgate serve\n')
  writeFileSync(file, unit.replace('/usr/local/bin/tollgate', join(installed.path, '.local/bin/tollgate')))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
  // This project causes no warnings about other units of the machine.
  expect(stderr.split('\n').filter((line) => line.includes('tollgate.service'))).toEqual([])
  expect(status, stderr).toBe(0)
})

it('the shell commands of docs/guides/install.md check the package, install, back up, restore and upgrade', async () => {
  const folder = join(installed.path, 'guide')
  // The guide's commands contain the name of the package file.
  cpSync(dirname(installed.packed.tollgate), folder, { recursive: true })
  const shell = async (lines: string): Promise<string> => {
    const ran = await run('sh', ['-e', '-c', `cd ${folder}\n${lines}`], installed.environment)
    expect(ran.code, `${lines}\n${ran.stdout}\n${ran.stderr}`).toBe(0)
    return ran.stdout + ran.stderr
  }
  const blocks = Array.from(
    textOf('docs/guides/install.md').matchAll(/^```sh\n(.*?)^```$/gms),
    ([, lines = '']) => lines,
  )
  expect(blocks).toHaveLength(5)
  const [check = '', install = '', backup = '', restore = '', upgrade = ''] = blocks
  expect(await shell(check)).toContain('sha256')
  writeFileSync(join(folder, basename(installed.packed.tollgate)), 'another')
  expect((await run('sh', ['-e', '-c', `cd ${folder}\n${check}`], installed.environment)).code).toBe(1)
  cpSync(installed.packed.tollgate, join(folder, basename(installed.packed.tollgate)))
  expect(await shell(install)).toMatch(/^\d+\.\d+\.\d+$/m)
  const server = spawn('tollgate', ['serve', '--port', '0', '--data', 'data'], {
    cwd: folder,
    env: { ...process.env, ...installed.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(server, 'exit')
  await firstLineOf(server)
  await shell(backup)
  server.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  await shell(restore)
  expect(await shell(upgrade)).not.toContain('the next start applies it')
})

async function firstLineOf(child: ChildProcess): Promise<string> {
  let stderr = ''
  child.stderr?.on('data', (piece) => (stderr += String(piece)))
  if (child.stdout === null) throw new Error('the output of the process is not read')
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error(`it ended at its start: ${stderr}`))),
  ])
  return String(line)
}
