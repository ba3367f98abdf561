// A rule of the house for oxlint: no list is spread into `push`. As arguments its items have to fit on the stack, and a
// client that sends a hundred thousand mistakes would find out that they do not.
const INTO = new Set(['push', 'unshift']);

const noSpreadIntoPush = {
  create: (context) => ({
    CallExpression(node) {
      const { callee, arguments: given } = node;
      const isPush = callee.type === 'MemberExpression' && !callee.computed && INTO.has(callee.property.name);
      if (isPush && given.some(({ type }) => type === 'SpreadElement'))
        context.report({ node, message: 'append the items with `append` of sim/api/append.ts' });
    },
  }),
};

export default { meta: { name: 'house' }, rules: { 'no-spread-into-push': noSpreadIntoPush } };
