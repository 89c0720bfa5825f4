import { chmodSync, constants, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDataFolder } from './data-folder.ts'

let parent = ''
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'tollgate-data-'))
})
afterEach(() => rmSync(parent, { recursive: true }))

const modeOf = (folder: string): number => statSync(folder).mode & 0o7777

function made(mode: number, ...files: string[]): string {
  const folder = join(parent, 'data')
  mkdirSync(folder)
  for (const file of files) writeFileSync(join(folder, file), '')
  chmodSync(folder, mode)
  return folder
}

test('only the owner can read or write a new data folder', () => {
  const folder = join(parent, 'a', 'b')
  expect(openDataFolder(folder)).toBeNull()
  expect(modeOf(folder)).toBe(0o700)
})

test('write access of other users to a data folder is removed, and this is reported', () => {
  for (const mode of [0o777, 0o770, 0o702]) {
    const folder = made(mode, 'tollgate.db', 'else')
    expect(openDataFolder(folder)).toContain(`mode 0${mode.toString(8)}`)
    expect(modeOf(folder)).toBe(0o700)
    expect(openDataFolder(folder)).toBeNull()
    rmSync(folder, { recursive: true })
  }
})

test('a folder that other users can only read is not changed', () => {
  expect(openDataFolder(made(0o755, 'tollgate.db'))).toBeNull()
  expect(modeOf(join(parent, 'data'))).toBe(0o755)
})

test('a folder with files of other programs, and a shared folder, are rejected and not changed', () => {
  const folder = made(0o777, 'letters.txt')
  expect(() => openDataFolder(folder)).toThrow(/Other users can write to the data folder .*mode 0777/)
  expect(modeOf(folder)).toBe(0o777)
  rmSync(folder, { recursive: true })
  made(0o1777)
  expect(() => openDataFolder(folder)).toThrow(/mode 1777/)
  expect(modeOf(folder)).toBe(0o1777)
})

test('if the data folder cannot be created, or its files belong to another user, the error states this', () => {
  writeFileSync(join(parent, 'file'), '')
  expect(() => openDataFolder(join(parent, 'file', 'data'))).toThrow(
    /^The data folder .* cannot be created or read \(ENOTDIR: .*\)\. Set another folder with --data or in TOLLGATE_DATA/,
  )
  const folder = made(0o700, 'tollgate.db', 'other')
  for (const name of ['', 'tollgate.db']) {
    const path = join(folder, name)
    const assertAccess = (used: unknown): void => {
      if (used === path) throw new Error('EACCES')
    }
    expect(() => openDataFolder(folder, { assertAccess })).toThrow(
      `The server has no right to read and write ${path}. Make the server the owner of the data folder ${folder} and all files in it`,
    )
    expect(openDataFolder(folder, { assertAccess, hasStore: false })).toBeNull()
  }
  expect(openDataFolder(folder)).toBeNull()
})

test('the server needs no right to write the file of the master key', () => {
  const folder = made(0o700, 'tollgate.db', 'master-key')
  const path = join(folder, 'master-key')
  const withRights = (rights: number) => ({
    assertAccess: (used: unknown, asked = 0): void => {
      if (used === path && (asked & ~rights) !== 0) throw new Error('EACCES')
    },
  })
  expect(openDataFolder(folder, withRights(constants.R_OK))).toBeNull()
  expect(() => openDataFolder(folder, withRights(0))).toThrow(`The server has no right to read ${path}.`)
})
