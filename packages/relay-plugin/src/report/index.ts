/** The report an agent ends its node with: one grammar for the plugins and the server. Pure, and it throws nothing. */
export { END, NONE, type NextStep, type Report, type ReportFeedback, type ReportStatus, type ReportSummary, type Routes } from './report.js';
export { parseReport, type ParsedReport } from './parse.js';
export { findReport } from './find.js';
export { reportProblems, targetsOf } from './validate.js';
export { correction, exampleReport, reportContract } from './contract.js';
export { feedbackText, formatReport, summaryText } from './format.js';
export { readRegisterMessage, readReportMessage, type ReadRegisterMessage, type ReadReportMessage, type RegisterMessage, type ReportAddress, type ReportMessage } from './messages.js';
