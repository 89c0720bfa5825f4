/**
 * Numbers of ledger entries on several nodes (store/postgres/entry-numbers-of-nodes.ts), on one database. Each schema
 * plays one node with its own sequence, and the test replaces the functions of Citus.
 * tests/long/citus-rebalance.test.ts tests Citus itself.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from 'pg'
import { connect } from '#store/postgres/connection.ts'
import { continueNumbersOn, renumberNodes } from '#store/postgres/entry-numbers-of-nodes.ts'
import { rebalanceShards } from '#store/postgres/rebalance.ts'
import { shardLock } from '#store/postgres/plan-or-apply-distribution.ts'
import { hasPostgres, newDatabase, type TestDatabase } from '../support/start-postgres.ts'

const nodes = [0, 1, 2]
const cluster = `
  CREATE TABLE sources (last_entry int8);
  CREATE TABLE pg_dist_node AS SELECT n AS nodeid, n AS groupid, 'node-' || n AS nodename, 5432 AS nodeport
    FROM unnest(ARRAY[${nodes.join(', ')}]) n;
  CREATE FUNCTION run_command_on_all_nodes(command text)
    RETURNS TABLE (nodeid int, success boolean, result text) LANGUAGE plpgsql AS $$ BEGIN
      FOR nodeid IN SELECT n.nodeid FROM pg_dist_node n LOOP
        PERFORM set_config('search_path', 'node_' || nodeid || ', pg_catalog', true);
        result := 'DO';
        IF command LIKE 'DO %' THEN EXECUTE command; ELSE EXECUTE command INTO result; END IF;
        PERFORM set_config('search_path', 'public', true);
        success := true;
        RETURN NEXT;
      END LOOP;
    END $$`

const nodeOf = (node: number): string => `
  CREATE SCHEMA node_${node};
  CREATE TABLE node_${node}.pg_dist_local_group AS SELECT ${node} AS groupid;
  CREATE VIEW node_${node}.pg_sequences AS SELECT * FROM pg_catalog.pg_sequences WHERE schemaname = 'node_${node}'`

describe.skipIf(!hasPostgres)('entry numbers of nodes', () => {
  let database: TestDatabase
  let client: Client
  beforeEach(async () => {
    database = await newDatabase()
    client = await connect({ url: database.url, access: 'write' })
    for (const text of [cluster, ...nodes.map(nodeOf)]) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      await client.query(text)
    }
    await renumberNodes(client)
  })
  afterEach(async () => {
    await client.end()
    await database.drop()
  })

  const numberOn = async (node: number): Promise<bigint> => {
    const { rows } = await client.query<{ number: bigint }>(
      `SELECT nextval('node_${node}.ledger_sequence') AS number`,
    )
    return rows[0]?.number ?? 0n
  }

  test('a shard that moves twice gets rising entry numbers, even if no request arrives in between', async () => {
    const first = await numberOn(1)
    await continueNumbersOn(client, 2)
    await continueNumbersOn(client, 1)
    const third = await numberOn(1)
    const second = await numberOn(2)
    expect(second).toBeGreaterThan(first)
    expect(third).toBeGreaterThan(second)
  })

  test('during each of many moves of shards, the other nodes can use 33 million blocks of numbers', async () => {
    await continueNumbersOn(client, 2)
    for (let moves = 0; moves < 20; moves++) {
      // oxlint-disable-next-line no-await-in-loop -- one move after the other
      await client.query(
        `SELECT setval('node_1.ledger_sequence', last_value + 4096 * 10000000::int8) FROM node_1.ledger_sequence`,
      )
      // oxlint-disable-next-line no-await-in-loop -- see above
      const used = await numberOn(1)
      // oxlint-disable-next-line no-await-in-loop -- see above
      await continueNumbersOn(client, 2)
      // oxlint-disable-next-line no-await-in-loop -- see above
      expect(await numberOn(2)).toBeGreaterThan(used + 33_000_000n * 4_096n)
    }
  })

  test('any number of shards can move to a node', async () => {
    await continueNumbersOn(client, 2)
    const first = await numberOn(2)
    for (let moves = 0; moves < 10; moves++) {
      // oxlint-disable-next-line no-await-in-loop -- one move after the other
      await continueNumbersOn(client, 2)
    }
    expect(await numberOn(2)).toBe(first + 4_096n)
  })

  test('a move that would need numbers above 2^52 is rejected and changes nothing', async () => {
    await client.query(`SELECT setval('node_1.ledger_sequence', 1 + 64 + 4096 * (2::int8 ^ 40)::int8)`)
    const first = await numberOn(2)
    await expect(continueNumbersOn(client, 2)).rejects.toThrow('above 2^52')
    expect(await numberOn(2)).toBe(first + 4_096n)
  })

  test('if the numbers of nodes are set repeatedly, the next number of a node never decreases', async () => {
    await continueNumbersOn(client, 2)
    const last = await numberOn(2)
    await renumberNodes(client)
    expect(await numberOn(2)).toBeGreaterThan(last)
  })

  test('scale rebalance is rejected while another scale command runs', async () => {
    await client.query(`SELECT pg_advisory_lock(${shardLock.join(', ')})`)
    await expect(rebalanceShards({ role: 'server', url: database.url }, () => {})).rejects.toThrow(
      'another tollgate scale',
    )
  })
})
