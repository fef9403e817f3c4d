using Payments.Service.Hosting;

return await ServiceHost.RunAsync(args);
