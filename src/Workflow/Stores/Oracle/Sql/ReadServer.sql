select (select max(version) from product_component_version where product like 'Oracle%'),
       (select value from nls_database_parameters where parameter = 'NLS_CHARACTERSET')
  from dual
