using Workflow.WebService.Commands;
using Workflow.WebService.Hosting;

return args is [DefinitionsCommand.Name, ..]
    ? await DefinitionsCommand.RunAsync(args, Console.Out, Console.Error)
    : await ServiceHost.RunAsync(args);
