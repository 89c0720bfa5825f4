/**
 * A record of the sources and tools of a package: an in-toto statement with the predicate of SLSA 1, which tools for
 * signing can read. The record is not signed, so it is only as trustworthy as the place from which users get it.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Build {
  /** Users need the URI to decide whether to trust the build. */
  readonly builder: string
  /** Null if the checkout has no git history. */
  readonly commit: string | null
  /** Whether the working tree contained only the commit, without changes. */
  readonly isTreeClean: boolean
  readonly tools: Readonly<Record<string, string>>
  /** Lockfiles that list each package used by the build, as paths from the root of the repository. */
  readonly lockfiles: readonly string[]
}

export function provenance(archives: readonly string[], build: Build): object {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: archives.map((file) => ({ name: basename(file), digest: { sha256: sha256(file) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:tollgate:npm-run-package:v1',
        externalParameters: { command: 'npm run package' },
        internalParameters: { isTreeClean: build.isTreeClean },
        resolvedDependencies: [
          ...(build.commit === null ? [] : [{ name: 'tollgate', digest: { gitCommit: build.commit } }]),
          ...build.lockfiles.map((name) => ({ name, digest: { sha256: sha256(join(root, name)) } })),
        ],
      },
      runDetails: {
        builder: { id: build.builder, version: build.tools },
        metadata: {
          tollgate_unsigned:
            'This statement is not signed. To check it, check out the commit, run the command, and compare the digests.',
        },
      },
    },
  }
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}
