// The texts that workflows, taskConfig and harnessConfig may word themselves: `{{name}}` stands for a value.
export { checkTemplate, TEMPLATE_VARIABLES, type TemplateKind } from './templates/check.js';
export { renderTemplate } from './templates/render.js';
