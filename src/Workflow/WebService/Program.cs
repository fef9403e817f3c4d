using Workflow.WebService.Hosting;

return await ServiceHost.RunAsync(args);
