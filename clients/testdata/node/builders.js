// What writes SQL for programs in JavaScript, over mysql2: the argument is knex, sequelize, typeorm or drizzle. Each
// asks by its own calls, not by texts, where it has them.
'use strict';
require('reflect-metadata');
const { account, ESTIMATE, EXACT, cell, figures, line } = require('./lines.js');

const hiv = { age: 60, disease: 'HIV' };

// shown prints what each builder is asked: rows of a table by a condition, figures, a transaction undone and one kept, errors.
async function shown(b) {
  if (b.metadata) await b.metadata();
  line('prepared decimal', ...(await b.dearer(12.49)));
  line('prepared text', ...(await b.named('Zoë 東京 😀')));
  line('prepared estimate', cell(Number(await b.estimate(hiv)), true));
  figures(await b.raw(ESTIMATE), await b.raw(EXACT));
  await b.undone({ id: 1, text: 'undone' });
  line('changes rolled back', await b.count());
  await b.kept([{ id: 1, text: 'one' }, { id: 2, text: 'two' }, { id: 3, text: null }]);
  line('changes committed', await b.count());
  line('changes affected', await b.update());
  for (const [name, work] of [['table', () => b.raw('SELECT * FROM nowhere')], ['syntax', () => b.raw('SELEC 1')], ['raw', () => b.raw('SELECT COUNT(*) FROM census.people')]]) {
    try {
      await work();
      line(`error ${name}`, 'none');
    } catch (e) {
      line(`error ${name}`, (e.original ?? e.cause ?? e).errno);
    }
  }
  await b.end();
}

function column(name, kind, nullable) {
  line(`column ${name}`, kind, nullable ? 'null' : 'not null');
}

class Undone extends Error {}

async function undone(transaction) {
  try {
    await transaction();
  } catch (e) {
    if (!(e instanceof Undone)) throw e;
  }
}

const builders = {
  async knex() {
    const connect = (database) => require('knex')({ client: 'mysql2', connection: { ...account, database } });
    const knex = connect(account.database), published = connect('published'); // columnInfo describes the connection's database
    return {
      metadata: async () => {
        for (const [table, of] of [['things', knex('things')], ['people', published('people')]]) {
          for (const [name, c] of Object.entries(await of.columnInfo())) column(`${table}.${name}`, c.type + (c.maxLength ? `(${c.maxLength})` : ''), c.nullable);
        }
      },
      dearer: (price) => knex('things').where('price', '>', price).orderBy('id').pluck('id'),
      named: (name) => knex('things').where({ name }).pluck('id'),
      estimate: async ({ age, disease }) => (await knex.withSchema('published').table('people').where('age', '>=', age).where({ disease }).count({ n: '*' }))[0].n,
      raw: async (text) => (await knex.raw(text))[0],
      undone: (row) => undone(() => knex.transaction(async (t) => { await t('changes').insert(row); throw new Undone(); })),
      kept: (rows) => knex.transaction((t) => t('changes').insert(rows)),
      count: async () => (await knex('changes').count({ n: '*' }))[0].n,
      update: () => knex('changes').where('id', '<', 3).update({ text: 'both' }),
      end: () => Promise.all([knex.destroy(), published.destroy()]),
    };
  },
  async sequelize() {
    const { Sequelize, DataTypes, Op } = require('sequelize');
    const connect = (database) => new Sequelize(database, account.user, account.password, { host: account.host, port: account.port, dialect: 'mysql', logging: false });
    const s = connect(account.database), published = connect('published'); // describeTable describes the connection's database
    const plain = { timestamps: false, freezeTableName: true };
    const Thing = s.define('things', { name: DataTypes.STRING, price: DataTypes.DECIMAL(10, 2) }, plain);
    const Change = s.define('changes', { id: { type: DataTypes.INTEGER, primaryKey: true }, text: DataTypes.STRING }, plain);
    const Person = s.define('people', { age: { type: DataTypes.INTEGER, primaryKey: true }, disease: DataTypes.STRING }, { ...plain, schema: 'published', schemaDelimiter: '.' });
    const q = s.getQueryInterface();
    return {
      metadata: async () => {
        for (const name of (await q.showAllTables()).sort()) line(`table ${name}`, 'table');
        const things = Object.entries(await q.describeTable('things'));
        for (const [name, c] of things) column(`things.${name}`, c.type.toLowerCase(), c.allowNull);
        for (const [name, c] of Object.entries(await published.getQueryInterface().describeTable('people'))) column(`people.${name}`, c.type.toLowerCase(), c.allowNull);
        line('key things', ...things.filter(([, c]) => c.primaryKey).map(([name]) => name));
        for (const i of await q.showIndex('things')) line(`index ${i.name}`, (i.unique ? 'unique ' : '') + i.fields.map((f) => f.attribute).join(', '));
      },
      dearer: async (price) => (await Thing.findAll({ where: { price: { [Op.gt]: price } }, order: ['id'] })).map((t) => t.id),
      named: async (name) => (await Thing.findAll({ where: { name } })).map((t) => t.id),
      estimate: async ({ age, disease }) => (await s.query('SELECT COUNT(*) AS n FROM published.people WHERE age >= ? AND disease = ?', { replacements: [age, disease], type: Sequelize.QueryTypes.SELECT }))[0].n,
      raw: (text) => s.query(text, { type: Sequelize.QueryTypes.SELECT }),
      undone: (row) => undone(() => s.transaction(async (transaction) => { await Change.create(row, { transaction }); throw new Undone(); })),
      kept: (rows) => s.transaction((transaction) => Change.bulkCreate(rows, { transaction })),
      count: () => Change.count(),
      update: async () => (await Change.update({ text: 'both' }, { where: { id: { [Op.lt]: 3 } } }))[0],
      end: () => Promise.all([s.close(), published.close()]),
    };
  },
  async typeorm() {
    const { DataSource, EntitySchema, LessThan, MoreThan } = require('typeorm');
    const Thing = new EntitySchema({ name: 'Thing', tableName: 'things', columns: { id: { type: 'int', primary: true }, name: { type: 'varchar' }, price: { type: 'decimal', precision: 10, scale: 2 } } });
    const Change = new EntitySchema({ name: 'Change', tableName: 'changes', columns: { id: { type: 'int', primary: true }, text: { type: 'varchar', nullable: true } } });
    const source = await new DataSource({ type: 'mysql', host: account.host, port: account.port, username: account.user, password: account.password, database: account.database, entities: [Thing, Change] }).initialize();
    const changes = source.getRepository('Change');
    const runner = source.createQueryRunner();
    return {
      metadata: async () => {
        const [things, parts, people] = await Promise.all(['things', 'parts', 'published.people'].map((name) => runner.getTable(name)));
        for (const t of [things, people]) {
          for (const c of t.columns) {
            const size = c.type === 'decimal' ? `(${c.precision},${c.scale})` : c.length && `(${c.length})`;
            column(`${t === things ? 'things' : 'people'}.${c.name}`, c.type + size + (c.unsigned ? ' unsigned' : ''), c.isNullable);
          }
        }
        line('key things', ...things.primaryColumns.map((c) => c.name));
        line('key parts', ...parts.primaryColumns.map((c) => c.name));
        for (const i of things.indices) line(`index ${i.name}`, (i.isUnique ? 'unique ' : '') + i.columnNames.join(', '));
      },
      dearer: async (price) => (await source.getRepository('Thing').find({ where: { price: MoreThan(price) }, order: { id: 'ASC' } })).map((t) => t.id),
      named: async (name) => (await source.getRepository('Thing').findBy({ name })).map((t) => t.id),
      estimate: async ({ age, disease }) => (await source.createQueryBuilder().select('COUNT(*)', 'n').from('published.people', 'p').where('p.age >= :age AND p.disease = :disease', { age, disease }).getRawOne()).n,
      raw: (text) => source.query(text),
      undone: (row) => undone(() => source.transaction(async (t) => { await t.insert('Change', row); throw new Undone(); })),
      kept: (rows) => source.transaction((t) => t.insert('Change', rows)),
      count: () => changes.count(),
      update: async () => (await changes.update({ id: LessThan(3) }, { text: 'both' })).affected,
      end: () => source.destroy(),
    };
  },
  async drizzle() {
    const { drizzle } = require('drizzle-orm/mysql2');
    const { decimal, int, mysqlSchema, mysqlTable, varchar } = require('drizzle-orm/mysql-core');
    const { and, asc, count, eq, gt, gte, lt, sql } = require('drizzle-orm');
    const pool = require('mysql2/promise').createPool(account);
    const db = drizzle(pool);
    const thing = mysqlTable('things', { id: int('id').primaryKey(), name: varchar('name', { length: 40 }), price: decimal('price', { precision: 10, scale: 2 }) });
    const change = mysqlTable('changes', { id: int('id').primaryKey(), text: varchar('text', { length: 40 }) });
    const person = mysqlSchema('published').table('people', { age: int('age'), disease: varchar('disease', { length: 40 }) });
    return {
      dearer: async (price) => (await db.select().from(thing).where(gt(thing.price, String(price))).orderBy(asc(thing.id))).map((t) => t.id),
      named: async (name) => (await db.select().from(thing).where(eq(thing.name, name))).map((t) => t.id),
      estimate: async ({ age, disease }) => (await db.select({ n: sql`count(*)` }).from(person).where(and(gte(person.age, age), eq(person.disease, disease))))[0].n,
      raw: async (text) => (await db.execute(sql.raw(text)))[0],
      undone: (row) => undone(() => db.transaction(async (t) => { await t.insert(change).values(row); throw new Undone(); })),
      kept: (rows) => db.transaction((t) => t.insert(change).values(rows)),
      count: async () => (await db.select({ n: count() }).from(change))[0].n,
      update: async () => (await db.update(change).set({ text: 'both' }).where(lt(change.id, 3)))[0].affectedRows,
      end: () => pool.end(),
    };
  },
};

builders[process.argv[2]]().then(shown).catch((e) => { console.error(e); process.exit(1); });
