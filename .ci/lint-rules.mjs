// Rules of the house for oxlint. No list is spread into `push`. As arguments its items have to fit on the stack, and a
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

// And: no function is written where it is assigned to a member. V8 makes such a function old from the start, and what it
// closes over (in the end a whole cluster) stays until all of the heap is collected: half of what a run costs.
const FUNCTIONS = new Set(['ArrowFunctionExpression', 'FunctionExpression']);

const noFunctionAsMember = {
  create: (context) => ({
    AssignmentExpression(node) {
      if (node.left.type === 'MemberExpression' && FUNCTIONS.has(node.right.type))
        context.report({
          node,
          message: 'name the function first, and assign its name: else it outlives its cluster',
        });
    },
  }),
};

export default {
  meta: { name: 'house' },
  rules: { 'no-spread-into-push': noSpreadIntoPush, 'no-function-as-member': noFunctionAsMember },
};
